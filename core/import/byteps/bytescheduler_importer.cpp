#include "core/import/byteps/bytescheduler_importer.h"

#include "core/import/chrome/chrome_slices.h"
#include "core/import/row_cache.h"
#include "core/import/text/json_object.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace core {

namespace {

    constexpr std::string_view Communication = "COMMUNICATION";
    constexpr std::string_view Reduction = "PUSH_PULL";

    class ByteSchedulerReader : public ChromeSliceConsumer
    {
    public:
        ByteSchedulerReader(TraceSink &sink, std::string file)
            : m_sink(sink)
            , m_worker(sink.addWorker())
            , m_rows(sink, std::move(file))
        {
        }

        void addMetadata(std::string_view name, std::string_view pid, std::string_view,
                         std::string_view args) override
        {
            const std::string tensor
                = name == "process_name" ? textMember(objectFrom(args), "name") : "";
            if (!tensor.empty())
                m_tensors.insert_or_assign(std::string(pid), tensor);
        }

        void addSlice(const ChromeSlice &slice) override
        {
            const auto named = m_tensors.find(slice.pid);
            const std::string tensor
                = named == m_tensors.end() ? "tensor " + std::string(slice.pid) : named->second;
            SliceRecord record;
            record.startNs = slice.startNs;
            record.durationNs = slice.durationNs;
            record.name = m_sink.intern(slice.name);
            record.args = slice.args;
            if (slice.name.ends_with(Communication))
                addCommunication(tensor, slice, record);
            else
                addWait(tensor, slice, record);
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
        /// A row for each tensor: its communications follow each other, while those of other
        /// tensors run beside them.
        void addCommunication(const std::string &name, const ChromeSlice &slice,
                              SliceRecord &record)
        {
            const TensorId tensor = m_sink.tensor(m_worker, { name, 0, {}, {} });
            CollectiveInfo collective;
            collective.kind = slice.name.starts_with(Reduction) ? "all_reduce" : "broadcast";
            collective.group = "bytescheduler";
            collective.tensors = { &tensor, 1 };
            record.category = Category::CommOp;
            record.collective = &collective;
            record.name = m_sink.intern(std::string(slice.name) + ' ' + name);
            m_sink.slice(rowOf(TrackKind::Communication, slice, name), record);
        }

        void addWait(const std::string &name, const ChromeSlice &slice, SliceRecord &record)
        {
            record.category = Category::UserAnnotation;
            m_sink.slice(rowOf(TrackKind::Annotation, slice, name + " (queue)"), record);
        }

        TrackId rowOf(TrackKind kind, const ChromeSlice &slice, const std::string &name)
        {
            return m_rows.row(m_worker, { kind, slice.pid, {}, std::nullopt }, name);
        }

        TraceSink &m_sink;
        WorkerId m_worker;
        std::map<std::string, std::string, std::less<>> m_tensors; ///< names by pid
        RowCache m_rows;
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
    ByteSchedulerReader reader(sink, entry.name());
    ChromeSlices slices(reader, sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), slices, control);
    slices.finish();
    reader.finish(entry.name(), slices.counts());
}

} // namespace core
