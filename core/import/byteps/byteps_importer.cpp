#include "core/import/byteps/byteps_importer.h"

#include "core/import/checked_index.h"
#include "core/import/chrome/chrome_slices.h"
#include "core/import/dpro/dpro_model.h"
#include "core/import/rank_from_folders.h"
#include "core/import/round_counter.h"
#include "core/import/row_cache.h"
#include "core/import/text/decimal_time.h"

#include <optional>
#include <string>

namespace core {

namespace {

    constexpr std::string_view TensorPrefix = "Comm.";
    constexpr std::string_view WholeRow = "total"; ///< tid of a tensor's whole synchronisation
    constexpr std::string_view Push = "PUSH";
    constexpr std::string_view Pull = "PULL";

    std::optional<int> partitionFrom(std::string_view key)
    {
        return checkedIndex(integerFrom(key));
    }

    class BytePsReader : public ChromeSliceConsumer
    {
    public:
        BytePsReader(const BundleEntry &entry, TraceSink &sink)
            : m_file(entry.name())
            , m_sink(sink)
            , m_worker(sink.addWorker())
            , m_model(entry, "", sink)
            , m_rows(sink, entry.name())
            , m_rounds(sink, entry.name())
        {
            WorkerInfo info;
            info.rank = rankFromFolders(entry);
            m_sink.describeWorker(m_worker, info);
        }

        void addSlice(const ChromeSlice &slice) override
        {
            std::string_view tensor = slice.pid;
            if (tensor.starts_with(TensorPrefix))
                tensor.remove_prefix(TensorPrefix.size());
            if (slice.tid == WholeRow)
                addWhole(slice, tensor);
            else
                addStage(slice, tensor);
        }

        void finish(const ChromeSlices::Counts &counts)
        {
            for (const auto &[category, count] : counts)
                m_sink.countEvents(m_worker, category, count);
            if (!m_hasTransfers)
                m_sink.diagnostics().count(
                    "no-push-pull", Severity::Info, { m_file, std::nullopt },
                    "no PUSH and PULL: only the root GPU of each host (the one of the largest "
                    "local "
                    "rank, unless BYTEPS_REDUCE_ROOTS says otherwise) talks to the servers. Import "
                    "the files of all local ranks to see the network");
        }

    private:
        /// The whole synchronisation of a tensor, queueing included: every rank takes part in it.
        void addWhole(const ChromeSlice &slice, std::string_view tensor)
        {
            const TensorRecord known = m_model.tensor(tensor);
            const TensorId id = m_sink.tensor(m_worker, known);
            CollectiveInfo collective;
            collective.kind = "all_reduce";
            collective.group = "byteps";
            collective.tensors = { &id, 1 };
            SliceRecord record = recordOf(slice);
            record.category = Category::CommOp;
            record.bytes = known.bytes;
            record.collective = &collective;
            m_sink.slice(trackOf(TrackKind::Communication, slice, std::string(tensor)), record);
        }

        void addStage(const ChromeSlice &slice, std::string_view tensor)
        {
            const std::string_view stage = slice.name.substr(slice.name.find_last_of('.') + 1);
            SliceRecord record = recordOf(slice);
            record.category = Category::UserAnnotation;
            TransferInfo transfer;
            std::string transaction;
            if (stage == Push || stage == Pull) {
                m_hasTransfers = true;
                record.category = Category::CommOp;
                if (const auto round = nextRound(slice)) {
                    transfer.isSend = stage == Push;
                    transfer.channel = partitionFrom(slice.tid);
                    transaction = std::string(tensor) + '/' + std::string(stage) + "/round "
                        + std::to_string(*round);
                    transfer.transaction = transaction;
                    record.transfer = &transfer;
                }
            }
            m_sink.slice(trackOf(TrackKind::Annotation, slice,
                                 std::string(tensor) + " partition " + std::string(slice.tid)),
                         record);
        }

        SliceRecord recordOf(const ChromeSlice &slice)
        {
            SliceRecord record;
            record.startNs = slice.startNs;
            record.durationNs = slice.durationNs;
            record.name = m_sink.intern(slice.name);
            return record;
        }

        TrackId trackOf(TrackKind kind, const ChromeSlice &slice, const std::string &name)
        {
            return m_rows.row(m_worker, { kind, slice.pid, slice.tid, std::nullopt }, name);
        }

        /// How often this partition has been through this stage before; see RoundCounter.
        std::optional<std::uint64_t> nextRound(const ChromeSlice &slice)
        {
            return m_rounds.next(std::string(slice.name) + '/' + std::string(slice.tid));
        }

        std::string m_file;
        TraceSink &m_sink;
        WorkerId m_worker;
        DproModel m_model; ///< of a folder that dPRO wrote
        RowCache m_rows;
        RoundCounter m_rounds; ///< by stage and partition
        bool m_hasTransfers = false;
    };

    /// `"pid": "Comm.`, with any space around the colon.
    bool hasTensorRow(std::string_view head)
    {
        constexpr std::string_view Key = "\"pid\"";
        for (std::size_t at = head.find(Key); at != std::string_view::npos;
             at = head.find(Key, at + 1)) {
            std::string_view rest = head.substr(at + Key.size());
            const std::size_t value = rest.find_first_not_of(" \t\r\n:");
            if (value != std::string_view::npos && rest.substr(value).starts_with("\"Comm."))
                return true;
        }
        return false;
    }

} // namespace

bool BytePsImporter::recognizes(std::string_view, std::string_view head) const
{
    return head.find("\"traceEvents\"") != std::string_view::npos && hasTensorRow(head);
}

void BytePsImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    BytePsReader reader(entry, sink);
    ChromeSlices slices(reader, sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), slices, control);
    slices.finish();
    reader.finish(slices.counts());
}

} // namespace core
