#include "core/import/tensorflow/tf_timeline_importer.h"

#include "core/import/chrome/chrome_slices.h"
#include "core/import/tensorflow/tf_rows.h"
#include "core/import/tensorflow/xplane_rows.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/json_members.h"

#include <map>

namespace core {

namespace {

    constexpr std::string_view OperatorsSuffix = " Compute"; // of a process that is a device
    constexpr std::size_t MaximumInputs = 10'000;
    constexpr std::size_t BytesPerAllocator = 96; ///< in a table, without its name; about
    constexpr std::size_t AllocatorsShare = 4; ///< the part of the memory that they have

    /// What a timeline says about an operator.
    struct Node
    {
        std::string name, op;
        std::vector<std::string> inputs;
        bool hasMoreInputs = false;
    };

    Node nodeIn(std::string_view args)
    {
        Node node;
        json::forEachMember(args, [&node](std::string_view key, std::string_view value) {
            if (key == "name")
                node.name = cleanString(json::unquoted(value));
            else if (key == "op")
                node.op = cleanString(json::unquoted(value));
            else if (!key.starts_with("input"))
                return;
            else if (node.inputs.size() < MaximumInputs)
                node.inputs.push_back(cleanString(json::unquoted(value)));
            else
                node.hasMoreInputs = true;
        });
        return node;
    }

    class TimelineTranslator : public ChromeSliceConsumer
    {
    public:
        TimelineTranslator(TraceSink &sink, std::string file)
            : m_sink(sink)
            , m_rows(sink, std::move(file))
        {
        }

        /// Processes are devices: all are named before the first operator.
        void addMetadata(std::string_view name, std::string_view pid, std::string_view,
                         std::string_view args) override
        {
            if (name != "process_name")
                return;
            std::string device;
            json::forEachMember(args, [&device](std::string_view key, std::string_view value) {
                if (key == "name")
                    device = cleanString(json::unquoted(value));
            });
            if (!device.ends_with(OperatorsSuffix))
                return;
            device.resize(device.size() - OperatorsSuffix.size());
            m_rows.noteDevice(device);
            m_devices.insert_or_assign(std::string(pid), std::move(device));
        }

        void addSlice(const ChromeSlice &slice) override
        {
            const auto device = m_devices.find(slice.pid);
            const std::string pid = "/process:" + std::string(slice.pid);
            const std::string_view row = device != m_devices.end() ? device->second : pid;
            const Node node = nodeIn(slice.args);
            const std::string_view name = node.name.empty() ? slice.name : node.name;
            m_rows.add({ slice.startNs, slice.durationNs, row, slice.tid, name, node.op, slice.args,
                         0, nullptr });
            const WorkerId worker = m_rows.tasks().worker(m_rows.device(row));
            for (const std::string &input : node.inputs)
                m_rows.addDependency(worker, name, node.op, input);
            if (node.hasMoreInputs)
                m_rows.countLeftOut(
                    "too-many-inputs",
                    "operators with more than 10000 inputs: dependencies on the "
                    "further ones were left out. The file is damaged, record again");
        }

        bool wantsCounters(std::string_view) const override { return true; }
        /// How much an allocator has given out.
        void addCounter(std::string_view name, std::string_view args, std::int64_t timeNs) override
        {
            std::optional<std::uint64_t> bytes;
            json::forEachMember(args, [&bytes](std::string_view, std::string_view value) {
                bytes = json::naturalIn(value);
            });
            constexpr std::uint64_t Largest = 1ULL << 62U;
            if (!bytes || *bytes > Largest)
                return;
            const auto allocated = static_cast<std::int64_t>(*bytes);
            std::int64_t *before = allocatedBefore(name);
            if (before == nullptr)
                return;
            MemoryEvent memory;
            memory.timeNs = timeNs;
            memory.device = allocatorDevice(name);
            memory.deltaBytes = allocated - *before;
            memory.allocatedBytes = *bytes;
            *before = allocated;
            m_sink.memory(m_rows.tasks().worker({}), memory);
        }

        void finish(const ChromeSlices::Counts &counts)
        {
            const WorkerId first = m_rows.tasks().worker({});
            for (const auto &[category, count] : counts)
                m_sink.countEvents(first, category, count);
            m_rows.tasks().describeWorkers();
        }

    private:
        /// nullptr, and counted, where there are more allocators than there is memory for.
        std::int64_t *allocatedBefore(std::string_view allocator)
        {
            const auto known = m_allocated.find(allocator);
            if (known != m_allocated.end())
                return &known->second;
            const std::size_t size = BytesPerAllocator + allocator.size();
            if (size > m_sink.importerBytes() / AllocatorsShare - m_allocatorBytes) {
                m_rows.countLeftOut(
                    "too-many-allocators",
                    "more allocators in one file than the import may hold: what further ones gave "
                    "out was left out. Import again with a larger --memory-limit (longpole "
                    "import); if that many "
                    "never were, the file is damaged: record again");
                return nullptr;
            }
            m_allocatorBytes += size;
            return &m_allocated.emplace(std::string(allocator), 0).first->second;
        }

        TraceSink &m_sink;
        TfRows m_rows;
        /// By pid; ChromeSlices bounds what names rows.
        std::map<std::string, std::string, std::less<>> m_devices;
        std::map<std::string, std::int64_t, std::less<>> m_allocated; ///< bytes, by allocator
        std::size_t m_allocatorBytes = 0; ///< of m_allocated, about
    };

} // namespace

bool TfTimelineImporter::recognizes(std::string_view, std::string_view head) const
{
    const auto has
        = [head](std::string_view word) { return head.find(word) != std::string_view::npos; };
    const bool hasDevices = has("/device:") || has("/job:") || has("/gpu:") || has("/cpu:");
    return has("\"traceEvents\"") && has(" Compute\"") && hasDevices;
}

void TfTimelineImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    TimelineTranslator translator(sink, entry.name());
    ChromeSlices events(translator, sink, entry.name());
    readChromeTrace(entry, sink.diagnostics(), events, control);
    events.finish();
    translator.finish(events.counts());
}

} // namespace core
