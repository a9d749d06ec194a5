#include "core/import/bytescheduler_importer.h"

#include "core/import/chrome_slices.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>

namespace core {

namespace {

    constexpr std::string_view Communication = "COMMUNICATION";
    constexpr std::string_view Reduction = "PUSH_PULL";

    std::string nameFrom(std::string_view args)
    {
        const auto parsed = nlohmann::json::parse(args, nullptr, false);
        const auto found = parsed.is_object() ? parsed.find("name") : parsed.end();
        return found != parsed.end() && found->is_string() ? found->get<std::string>() : "";
    }

    class ByteSchedulerReader : public ChromeSliceConsumer
    {
    public:
        explicit ByteSchedulerReader(TraceSink &sink)
            : m_sink(sink)
            , m_worker(sink.addWorker())
        {
        }

        void addMetadata(std::string_view name, std::string_view pid, std::string_view,
                         std::string_view args) override
        {
            const std::string tensor = name == "process_name" ? nameFrom(args) : "";
            if (!tensor.empty())
                rowOf(pid).tensor = tensor;
        }

        void addSlice(const ChromeSlice &slice) override
        {
            Row &row = rowOf(slice.pid);
            SliceRecord record;
            record.startNs = slice.startNs;
            record.durationNs = slice.durationNs;
            record.name = m_sink.intern(slice.name);
            record.args = slice.args;
            if (slice.name.ends_with(Communication))
                addCommunication(row, slice, record);
            else
                addWait(row, slice, record);
        }

        void finish(const std::string &file, const ChromeSlices::Counts &counts)
        {
            for (const auto &[category, count] : counts)
                m_sink.countEvents(m_worker, category, count);
            m_sink.describeWorker(m_worker, {});
            m_sink.diagnostics().count(
                "no-epoch", Severity::Info, { file, std::nullopt },
                "the timeline's times count from the scheduler's start, not from the Unix epoch, "
                "so "
                "it can be seen beside other traces of the job only where the ranks' collectives "
                "match");
        }

    private:
        struct Row
        {
            std::string tensor;
            std::optional<TrackId> communication, queue;
        };

        Row &rowOf(std::string_view pid)
        {
            const auto known = m_rows.find(pid);
            return known != m_rows.end()
                ? known->second
                : m_rows.emplace(pid, Row { "tensor " + std::string(pid), {}, {} }).first->second;
        }

        /// A row for each tensor: its communications follow each other, while those of other
        /// tensors run beside them.
        void addCommunication(Row &row, const ChromeSlice &slice, SliceRecord &record)
        {
            if (!row.communication)
                row.communication = addTrack(TrackKind::Communication, slice, row.tensor);
            const TensorId tensor = m_sink.tensor(m_worker, { row.tensor, 0, {}, {} });
            CollectiveInfo collective;
            collective.kind = slice.name.starts_with(Reduction) ? "all_reduce" : "broadcast";
            collective.group = "bytescheduler";
            collective.tensors = { &tensor, 1 };
            record.category = Category::CommOp;
            record.collective = &collective;
            record.name = m_sink.intern(std::string(slice.name) + ' ' + row.tensor);
            m_sink.slice(*row.communication, record);
        }

        void addWait(Row &row, const ChromeSlice &slice, SliceRecord &record)
        {
            if (!row.queue)
                row.queue = addTrack(TrackKind::Annotation, slice, row.tensor + " (queue)");
            record.category = Category::UserAnnotation;
            m_sink.slice(*row.queue, record);
        }

        TrackId addTrack(TrackKind kind, const ChromeSlice &slice, const std::string &name)
        {
            const TrackId id = m_sink.track(m_worker, { kind, slice.pid, slice.tid, std::nullopt });
            m_sink.nameTrack(id, name);
            return id;
        }

        TraceSink &m_sink;
        WorkerId m_worker;
        std::map<std::string, Row, std::less<>> m_rows; ///< by pid
    };

} // namespace

bool ByteSchedulerImporter::recognizes(std::string_view, std::string_view head) const
{
    const auto has
        = [head](std::string_view word) { return head.find(word) != std::string_view::npos; };
    return has("\"ph\"")
        && (has("\"INITCOMMUNICATION\"") || has("\"PUSH_PULLCOMMUNICATION\"")
            || has("\"PUSH_PULLQUEUE\""));
}

void ByteSchedulerImporter::read(BundleEntry &entry, TraceSink &sink,
                                 const JobControl &control) const
{
    ByteSchedulerReader reader(sink);
    ChromeSlices slices(reader, sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), slices, control);
    slices.finish();
    reader.finish(entry.name(), slices.counts());
}

} // namespace core
