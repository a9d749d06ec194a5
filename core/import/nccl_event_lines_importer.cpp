#include "core/import/nccl_event_lines_importer.h"

#include "core/import/category_counts.h"
#include "core/import/checked_range.h"
#include "core/import/decimal_time.h"
#include "core/import/json_lines.h"
#include "core/import/kineto_collectives.h"
#include "core/import/lenient_members.h"
#include "core/import/nccl_names.h"
#include "core/import/nccl_ranks.h"
#include "core/import/row_cache.h"
#include "core/import/text_head.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace core {

namespace {

    // Whatever the memory.
    constexpr std::size_t MaximumPending = 100'000; ///< collectives whose kernel did not come yet
    constexpr std::size_t MaximumLaunches = 1'000'000; ///< the latest ones
    constexpr std::size_t MaximumCommunicators = 100'000; ///< whose size is remembered
    // Of the memory each of the three has this part.
    constexpr std::size_t HeldShare = 4;
    // About what a table takes for each, without its texts.
    constexpr std::size_t BytesPerLaunch = 192, BytesPerSize = 96;
    /// "0x7f22c4000b70"; what is longer makes no sense, and is known by its beginning.
    constexpr std::size_t LongestAddress = 64;

    std::string textOf(const LenientMembers &members, std::string_view key)
    {
        return std::string(textMember(members, key).value_or(std::string_view()));
    }

    LenientMembers objectOf(const LenientMembers &members, std::string_view key)
    {
        return lenientMembers(textOf(members, key));
    }

    /// One line, taken apart.
    struct EventLine
    {
        explicit EventLine(std::string_view text, std::uint64_t at)
            : members(lenientMembers(text))
            , offset(at)
        {
            const LenientMembers start = objectOf(members, "start");
            type = textOf(members, "type");
            process = textOf(start, "pid");
            thread = textOf(start, "tid");
            details = objectOf(members, "details");
            range = checkedRange(
                nanosecondsFromMicroseconds(textOf(start, "ts")),
                nanosecondsFromMicroseconds(textOf(objectOf(members, "stop"), "ts")));
        }
        std::string member(std::string_view key) const { return textOf(members, key); }
        std::string address(std::string_view key) const
        {
            return member(key).substr(0, LongestAddress);
        }
        std::uint64_t number(std::string_view key) const
        {
            return numberMember(members, key).value_or(0);
        }

        LenientMembers members, details;
        std::string type, process, thread;
        std::optional<TimeRange> range; ///< absent for times that are missing or reversed
        std::uint64_t offset;
    };

    /// A collective that was enqueued; its kernel comes later.
    struct Pending
    {
        WorkerId worker;
        std::string name, process, communicator, args;
        std::optional<std::uint64_t> sequence;
        std::uint64_t bytes = 0, offset = 0;
        std::optional<TimeRange> range; ///< of its kernel channels so far

        /// About, in a table.
        std::size_t heldBytes() const
        {
            return sizeof(Pending) + 128 + name.size() + process.size() + communicator.size()
                + args.size();
        }
    };

    /// A kernel launch and what it launched.
    struct Launch
    {
        WorkerId worker;
        std::uint64_t collectiveCount = 0;
        std::string address; ///< of the last collective's event
    };

    class EventLinesReader
    {
    public:
        EventLinesReader(TraceSink &sink, const std::string &file)
            : m_sink(sink)
            , m_file(file)
            , m_ranks(sink, file)
            , m_mostBytes(sink.importerBytes() / HeldShare)
            , m_mostLaunches(
                  std::clamp<std::size_t>(m_mostBytes / BytesPerLaunch, 1, MaximumLaunches))
            , m_rows(sink, file)
        {
        }

        void addLine(std::string_view text, std::uint64_t offset)
        {
            const EventLine line(text, offset);
            const std::string recordType = line.member("recordType");
            if (recordType == "state") {
                ++m_states;
                return;
            }
            m_worker = workerOf(line, recordType == "cuptiActivity");
            countCategory(m_counts[m_worker], line.type.empty() ? "none" : line.type);
            if (line.type == "ProfilerLifecycle")
                return;
            if (!line.range)
                return m_sink.diagnostics().countLost(
                    "no-time", Severity::Warning, { m_file, line.offset },
                    "records without begin or end, or whose end lies "
                    "before it, were only counted. Record again");
            if (recordType == "cuptiActivity")
                addActivity(line);
            else
                addEvent(line);
        }

        void finish()
        {
            for (const auto &[address, collective] : m_pending)
                emitCollective(collective);
            if (m_states > 0)
                countCategory(
                    m_counts[m_counts.empty() ? m_sink.addWorker() : m_counts.begin()->first],
                    "state", m_states);
            for (const auto &[worker, counts] : m_counts) {
                for (const auto &[category, number] : counts)
                    m_sink.countEvents(worker, category, number);
            }
            m_ranks.describeAll();
            m_sink.diagnostics().count("relative-time", Severity::Info, { m_file, {} },
                                       "times count from the start of each host: they are not "
                                       "comparable with files that count from 1970");
        }

    private:
        /// CUPTI's records name no rank; it is that of the launch. (The device that they name is
        /// the same one for all ranks of a process.)
        WorkerId workerOf(const EventLine &line, bool isActivity)
        {
            const std::optional<int> rank = indexMember(line.members, "rank");
            if (isActivity || !rank) {
                const auto launch = m_launches.find(line.number("extCorrId"));
                if (launch != m_launches.end())
                    return launch->second.worker;
                count(line, "no-rank",
                      "records that name neither a rank nor a launch are on the "
                      "first rank's timeline");
                return m_counts.empty()
                    ? m_ranks.workerOf({ {}, line.process, {}, 0, 0 }, line.offset)
                    : m_counts.begin()->first;
            }
            const std::string communicator = line.member("commId");
            return m_ranks.workerOf({ {},
                                      line.process,
                                      communicator,
                                      *rank,
                                      noteSize(communicator, indexMember(line.details, "nranks")) },
                                    line.offset);
        }

        /// The communicator's number of ranks as far as it was told; 0: not at all.
        int noteSize(const std::string &communicator, std::optional<int> size)
        {
            const auto known = m_sizes.find(communicator);
            if (known != m_sizes.end())
                return known->second = std::max(known->second, size.value_or(0));
            if (!size)
                return 0;
            const std::size_t bytes = BytesPerSize + communicator.size();
            if (m_sizes.size() < MaximumCommunicators && m_sizeBytes + bytes <= m_mostBytes) {
                m_sizeBytes += bytes;
                m_sizes.emplace(communicator, *size);
            } else {
                m_sink.diagnostics().count(
                    "too-many-communicators", Severity::Warning, { m_file, {} },
                    "the file has more communicators than the import may hold: of further ones it "
                    "is not known how many ranks they have. Import again with a larger "
                    "--memory-limit; or the file is damaged, record again");
            }
            return *size;
        }

        void addEvent(const EventLine &line)
        {
            if (line.type == "ncclProfileKernelCh")
                addKernelChannel(line);
            else if (line.type.starts_with("ncclProfileProxy")
                     || line.type.starts_with("ncclProfileNet"))
                store(line, { TrackKind::Other, line.process, line.thread, {} },
                      "NCCL proxy thread " + line.thread, line.type, {});
            else
                addHostCall(line);
            if (line.type == "ncclProfileKernelLaunch") {
                m_lastLaunch[m_worker] = line.number("extCorrId");
                if (m_launches.size() >= m_mostLaunches)
                    m_launches.erase(m_launches.begin()); // the ids ascend
                m_launches[line.number("extCorrId")] = { m_worker, 0, {} };
            }
            if (line.type == "ncclProfileColl")
                addCollective(line);
        }

        void addHostCall(const EventLine &line)
        {
            const std::string function = textOf(line.details, "func");
            SliceRecord record;
            record.category = Category::Runtime;
            record.correlation = line.number("extCorrId");
            const std::string prefix = "ncclProfile";
            const std::string name
                = line.type.starts_with(prefix) ? line.type.substr(prefix.size()) : line.type;
            store(line, { TrackKind::HostThread, line.process, line.thread, {} },
                  "thread " + line.thread, function.empty() ? name : name + ' ' + function, record);
        }

        void addCollective(const EventLine &line)
        {
            Pending collective;
            collective.worker = m_worker;
            collective.name = textOf(line.details, "func");
            collective.process = line.process;
            collective.communicator = line.member("commId");
            collective.args = strictJson(line.details);
            collective.sequence = numberMember(line.details, "seq");
            collective.bytes = ncclBytes(numberMember(line.details, "count").value_or(0),
                                         textOf(line.details, "dtype"));
            collective.offset = line.offset;
            const std::string address = line.address("eventAddr");
            makeRoomFor(collective);
            const auto earlier = m_pending.find(address);
            if (earlier != m_pending.end())
                flush(earlier); // the plug-in uses its memory again
            const auto launch = m_launches.find(m_lastLaunch[m_worker]);
            if (launch != m_launches.end()) {
                ++launch->second.collectiveCount;
                launch->second.address = address;
            }
            m_pendingBytes += collective.heldBytes();
            m_pending.emplace(address, std::move(collective));
        }

        void makeRoomFor(const Pending &collective)
        {
            const std::size_t bytes = collective.heldBytes();
            while (
                !m_pending.empty()
                && (m_pending.size() >= MaximumPending || m_pendingBytes + bytes > m_mostBytes)) {
                m_sink.diagnostics().count(
                    "too-many-pending", Severity::Warning, { m_file, collective.offset },
                    "more collectives wait for their kernels than the import may hold: some were "
                    "not tied to the kernels that come later. Import again with a larger "
                    "--memory-limit");
                flush(m_pending.begin());
            }
        }

        void addKernelChannel(const EventLine &line)
        {
            const auto parent = m_pending.find(line.address("parentObj"));
            if (parent != m_pending.end()) {
                std::optional<TimeRange> &all = parent->second.range;
                all = all ? checkedUnion(*all, *line.range) : *line.range;
            }
            const std::string row = "kernel channel " + textOf(line.details, "channel");
            store(line, { TrackKind::Communication, line.process, row, {} }, "NCCL " + row,
                  "KernelCh", {});
        }

        /// A kernel is its collective's time on the device if it has one collective only.
        void addActivity(const EventLine &line)
        {
            const std::string name = line.member("name");
            const bool isNccl = name.find("nccl") != std::string::npos;
            SliceRecord record;
            record.category = line.type != "KERNEL" ? Category::Other
                : isNccl                            ? Category::CommKernel
                                                    : Category::Kernel;
            record.correlation = line.number("extCorrId");
            const auto launch = m_launches.find(record.correlation);
            const auto own = launch != m_launches.end() && launch->second.collectiveCount == 1
                ? m_pending.find(launch->second.address)
                : m_pending.end();
            CollectiveInfo info;
            if (own != m_pending.end()) {
                describe(own->second, info, record);
                record.collective = &info;
            }
            const std::string stream = line.member("stream");
            store(
                line,
                { TrackKind::Stream, line.process, stream, indexMember(line.members, "deviceId") },
                "stream " + stream, name, record);
            if (own != m_pending.end())
                forget(own);
        }

        void describe(const Pending &collective, CollectiveInfo &info, SliceRecord &record) const
        {
            info.kind = collectiveKind(collective.name);
            info.group = collective.communicator;
            info.sequence = collective.sequence;
            const auto size = m_sizes.find(collective.communicator);
            if (size != m_sizes.end() && size->second > 0)
                info.groupSize = size->second;
            record.bytes = collective.bytes;
            record.args = collective.args;
        }

        using Pendings = std::map<std::string, Pending>;
        void flush(Pendings::iterator collective)
        {
            emitCollective(collective->second);
            forget(collective);
        }
        void forget(Pendings::iterator collective)
        {
            m_pendingBytes -= collective->second.heldBytes();
            m_pending.erase(collective);
        }

        void emitCollective(const Pending &collective)
        {
            if (!collective.range) {
                m_sink.diagnostics().count(
                    "no-device-time", Severity::Warning, { m_file, collective.offset },
                    "collectives without kernel channels and without a kernel of their own are "
                    "only there as host calls. Record with kernel channel events (mask 64)");
                return;
            }
            CollectiveInfo info;
            SliceRecord record;
            describe(collective, info, record);
            record.category = Category::CommKernel;
            record.collective = &info;
            record.name = m_sink.intern(collective.name);
            record.startNs = collective.range->startNs;
            record.durationNs = collective.range->durationNs();
            m_sink.slice(
                m_rows.row(collective.worker,
                           { TrackKind::Stream, collective.process, collective.communicator, {} },
                           "NCCL " + collective.communicator),
                record);
        }

        void store(const EventLine &line, const TrackSpec &spec, const std::string &rowName,
                   const std::string &name, SliceRecord record)
        {
            record.startNs = line.range->startNs;
            record.durationNs = line.range->durationNs();
            record.name = m_sink.intern(name);
            const std::string args = record.args.empty() ? strictJson(line.details) : "";
            if (record.args.empty())
                record.args = args;
            m_sink.slice(m_rows.row(m_worker, spec, rowName), record);
        }

        void count(const EventLine &line, std::string_view code, std::string_view message)
        {
            m_sink.diagnostics().count(code, Severity::Warning, { m_file, line.offset }, message);
        }

        TraceSink &m_sink;
        std::string m_file;
        NcclRanks m_ranks;
        WorkerId m_worker; ///< of the current line
        const std::size_t m_mostBytes; ///< of sizes, of launches and of collectives, each
        const std::size_t m_mostLaunches;
        std::map<std::string, int> m_sizes; ///< of the communicators
        std::size_t m_sizeBytes = 0; ///< of m_sizes, about
        std::map<std::uint64_t, Launch> m_launches; ///< by extCorrId
        std::map<WorkerId, std::uint64_t> m_lastLaunch; ///< its extCorrId
        Pendings m_pending; ///< by the event's address
        std::size_t m_pendingBytes = 0; ///< of m_pending, about
        std::map<WorkerId, CategoryCounts> m_counts;
        RowCache m_rows;
        std::uint64_t m_states = 0;
    };

} // namespace

bool NcclEventLinesImporter::recognizes(std::string_view, std::string_view head) const
{
    if (firstCharacter(head) != '{')
        return false;
    return head.find("\"ProfilerLifecycle\"") != std::string_view::npos
        || head.find("\"type\":\"ncclProfile") != std::string_view::npos;
}

void NcclEventLinesImporter::read(BundleEntry &entry, TraceSink &sink,
                                  const JobControl &control) const
{
    EventLinesReader reader(sink, entry.name());
    readJsonLines(entry, sink.diagnostics(), control,
                  [&reader](const nlohmann::json &, std::string_view text, std::uint64_t offset) {
                      reader.addLine(text, offset);
                  });
    reader.finish();
}

} // namespace core
