#include "core/import/tensorflow/trace_viewer_importer.h"

#include "core/bundle/file_name.h"
#include "core/import/chrome/chrome_slices.h"
#include "core/import/row_cache.h"
#include "core/import/tensorflow/xplane_rows.h"
#include "core/import/tensorflow/xplane_steps.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"
#include "core/import/text/json_members.h"

#include <array>
#include <functional>
#include <map>

namespace core {

namespace {

    /// What of an event's arguments anything is made of.
    struct Arguments
    {
        std::uint64_t correlation = 0;
        std::optional<std::int64_t> step;
        std::string hloOp, copyDetails, fillDetails;
    };

    Arguments argumentsIn(std::string_view args)
    {
        Arguments found;
        json::forEachMember(args, [&found](std::string_view key, std::string_view value) {
            if (key == "correlation_id")
                found.correlation = json::naturalIn(value).value_or(0);
            else if (key == "step_num")
                found.step = integerFrom(json::unquoted(value));
            else if (key == "hlo_op")
                found.hloOp = cleanString(json::unquoted(value));
            else if (key == "memcpy_details")
                found.copyDetails = cleanString(json::unquoted(value));
            else if (key == "memset_details")
                found.fillDetails = cleanString(json::unquoted(value));
        });
        return found;
    }

    std::string nameIn(std::string_view args)
    {
        std::string name;
        json::forEachMember(args, [&name](std::string_view key, std::string_view value) {
            if (key == "name")
                name = cleanString(json::unquoted(value));
        });
        return name;
    }

    class ViewerTranslator : public ChromeSliceConsumer
    {
    public:
        ViewerTranslator(TraceSink &sink, const std::string &file)
            : m_sink(sink)
            , m_worker(sink.addWorker())
            , m_rows(sink, file)
            , m_steps(sink, file)
        {
        }

        /// The writer names all processes and threads before their events.
        void addMetadata(std::string_view name, std::string_view pid, std::string_view tid,
                         std::string_view args) override
        {
            ++m_metadataCount;
            m_recent = {};
            if (name == "process_name")
                m_processes.insert_or_assign(std::string(pid), nameIn(args));
            else if (name == "thread_name")
                m_threads.insert_or_assign({ std::string(pid), std::string(tid) }, nameIn(args));
        }

        void addSlice(const ChromeSlice &slice) override
        {
            const Row &row = rowOf(slice);
            const Arguments arguments = argumentsIn(slice.args);
            SliceRecord record;
            record.startNs = slice.startNs;
            record.durationNs = slice.durationNs;
            record.name = m_sink.intern(slice.name);
            record.category = row.kind.category;
            record.correlation = arguments.correlation;
            record.args = slice.args;
            CollectiveInfo collective;
            if (row.kind.kind == TrackKind::Stream) {
                const DeviceEventKind activity = deviceEventKind(
                    { slice.name, arguments.hloOp, arguments.copyDetails, arguments.fillDetails });
                record.category = activity.category;
                record.bytes = activity.bytes;
                collective.kind = activity.collective;
            } else if (row.kind.kind == TrackKind::HostThread) {
                record.category = hostCategory(slice, arguments);
            }
            record.collective = collective.kind.empty() ? nullptr : &collective;
            noteStep(slice, row, arguments);
            m_sink.slice(row.track, record);
        }

        void finish(const ChromeSlices::Counts &counts, std::string host)
        {
            for (const auto &[category, count] : counts)
                m_sink.countEvents(m_worker, category, count);
            m_steps.give(m_sink, m_worker);
            WorkerInfo info;
            info.host = std::move(host);
            m_sink.describeWorker(m_worker, info);
        }

        std::uint64_t metadataCount() const { return m_metadataCount; }

    private:
        struct Row
        {
            XPlaneRow kind;
            TrackId track;
            bool isSteps = false;
        };
        using Thread = std::pair<std::string, std::string>;
        /// A row of which an event was read of late.
        struct RecentRow
        {
            std::string pid, tid;
            Row row;
            bool isKnown = false;
        };

        static Category hostCategory(const ChromeSlice &slice, const Arguments &arguments)
        {
            if (arguments.correlation != 0)
                return Category::Runtime;
            if (arguments.step)
                return Category::UserAnnotation;
            return slice.name.starts_with('$') ? Category::PythonFunction : Category::CpuOp;
        }

        /// To find out what a row is takes a tenth of the time of an import, and most events
        /// are of the same few.
        const Row &rowOf(const ChromeSlice &slice)
        {
            const std::hash<std::string_view> hash;
            const std::size_t slot = 31 * hash(slice.pid) + hash(slice.tid);
            RecentRow &recent = m_recent[slot % m_recent.size()];
            if (!recent.isKnown || recent.tid != slice.tid || recent.pid != slice.pid)
                recent = { std::string(slice.pid), std::string(slice.tid), madeRow(slice), true };
            return recent.row;
        }

        Row madeRow(const ChromeSlice &slice)
        {
            const Thread thread { slice.pid, slice.tid };
            const auto process = m_processes.find(thread.first);
            const std::string_view plane
                = process == m_processes.end() ? std::string_view() : process->second;
            const auto named = m_threads.find(thread);
            const std::string_view line
                = named == m_threads.end() ? std::string_view() : named->second;
            Row row;
            row.kind = xplaneRow(plane, line);
            row.isSteps = line == "Steps" && row.kind.kind == TrackKind::Annotation;
            const TrackSpec spec { row.kind.kind, plane.empty() ? slice.pid : plane, slice.tid,
                                   row.kind.device };
            row.track = m_rows.row(m_worker, spec,
                                   line.empty() ? "thread " + thread.second : std::string(line));
            return row;
        }

        void noteStep(const ChromeSlice &slice, const Row &row, const Arguments &arguments)
        {
            const TimeRange range { slice.startNs, slice.startNs + slice.durationNs };
            if (row.kind.kind == TrackKind::HostThread && arguments.step)
                m_steps.addHostStep(*arguments.step, range);
            if (const auto number = integerFrom(slice.name); row.isSteps && number)
                m_steps.addDeviceStep(*number, range);
        }

        TraceSink &m_sink;
        WorkerId m_worker;
        std::map<std::string, std::string> m_processes; ///< by pid
        std::map<Thread, std::string> m_threads;
        RowCache m_rows;
        std::array<RecentRow, 64> m_recent; ///< by a hash of pid and tid
        XPlaneSteps m_steps;
        std::uint64_t m_metadataCount = 0;
    };

    /// "host-a" of "run/host-a.trace.json.gz"; empty for files of other names.
    std::string hostIn(std::string_view entryName)
    {
        const std::string_view file = fileName(entryName);
        const std::size_t extension = file.find(".trace.json");
        return std::string(extension == std::string_view::npos ? "" : file.substr(0, extension));
    }

} // namespace

bool TraceViewerImporter::recognizes(std::string_view, std::string_view head) const
{
    return head.find("\"highres-ticks\"") != std::string_view::npos;
}

std::optional<std::string> TraceViewerImporter::reasonToLeaveOut(const BundleEntry &entry) const
{
    const std::string host = hostIn(entry.name());
    if (host.empty() || !entry.hasOther(host + ".xplane.pb"))
        return std::nullopt;
    return "the trace viewer made this file from the profile " + host
        + ".xplane.pb beside it, which holds more and is read instead";
}

void TraceViewerImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    ViewerTranslator translator(sink, entry.name());
    ChromeSlices slices(translator, sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), slices, control);
    slices.finish();
    std::uint64_t events = 0;
    for (const auto &[category, count] : slices.counts())
        events += count;
    if (events - translator.metadataCount() == EventLimit)
        sink.diagnostics().count("capped-trace", Severity::Warning, { entry.name(), std::nullopt },
                                 "the trace has exactly one million events, which is where the "
                                 "trace viewer's writer stops: later ones are missing, and totals "
                                 "are too small. Import the profile itself (<host>.xplane.pb)");
    translator.finish(slices.counts(), hostIn(entry.name()));
}

} // namespace core
