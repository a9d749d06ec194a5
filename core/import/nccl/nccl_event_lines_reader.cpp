#include "core/import/nccl/nccl_event_lines_reader.h"

#include "core/import/checked_range.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/nccl/nccl_names.h"
#include "core/import/text/lenient_members.h"

#include <optional>
#include <utility>

namespace core {

namespace {

    /// Of the memory sizes, launches and pending collectives have this part each.
    constexpr std::size_t LinesShare = 4;

} // namespace

NcclEventLinesReader::NcclEventLinesReader(TraceSink &sink, const std::string &file)
    : m_sink(sink)
    , m_file(file)
    , m_ranks(sink, file)
    , m_sizes(sink.diagnostics(), file, sink.importerBytes() / LinesShare)
    , m_launches(sink.importerBytes() / LinesShare)
    , m_pending(sink.diagnostics(), file, sink.importerBytes() / LinesShare,
                [this](const NcclPendingCollective &collective) { emitCollective(collective); })
    , m_rows(sink, file)
{
}

void NcclEventLinesReader::addLine(std::string_view text, std::uint64_t offset)
{
    const NcclEventLine line(text, offset);
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
        return m_sink.diagnostics().countLost("no-time", Severity::Warning, { m_file, line.offset },
                                              "records without begin or end, or whose end lies "
                                              "before it, were only counted. Record again");
    if (recordType == "cuptiActivity")
        addActivity(line);
    else
        addEvent(line);
}

void NcclEventLinesReader::finish()
{
    m_pending.giveOutAll();
    if (m_states > 0)
        countCategory(m_counts[m_counts.empty() ? m_sink.addWorker() : m_counts.begin()->first],
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

/// CUPTI's records name no rank; it is that of the launch. (The device that they name is the same
/// one for all ranks of a process.)
WorkerId NcclEventLinesReader::workerOf(const NcclEventLine &line, bool isActivity)
{
    const std::optional<int> rank = indexMember(line.members, "rank");
    if (isActivity || !rank) {
        if (const WorkerId *worker = m_launches.workerOf(line.number("extCorrId")))
            return *worker;
        m_sink.diagnostics().count("no-rank", Severity::Warning, { m_file, line.offset },
                                   "records that name neither a rank nor a launch are on the "
                                   "first rank's timeline");
        return m_counts.empty() ? m_ranks.workerOf({ {}, line.process, {}, 0, 0 }, line.offset)
                                : m_counts.begin()->first;
    }
    const std::string communicator = line.member("commId");
    const int size = m_sizes.note(communicator, indexMember(line.details, "nranks"));
    return m_ranks.workerOf({ {}, line.process, communicator, *rank, size }, line.offset);
}

void NcclEventLinesReader::addEvent(const NcclEventLine &line)
{
    if (line.type == "ncclProfileKernelCh")
        addKernelChannel(line);
    else if (line.type.starts_with("ncclProfileProxy") || line.type.starts_with("ncclProfileNet"))
        store(line, { TrackKind::Other, line.process, line.thread, {} },
              "NCCL proxy thread " + line.thread, line.type, {});
    else
        addHostCall(line);
    if (line.type == "ncclProfileKernelLaunch")
        m_launches.add(line.number("extCorrId"), m_worker);
    if (line.type == "ncclProfileColl")
        addCollective(line);
}

void NcclEventLinesReader::addHostCall(const NcclEventLine &line)
{
    const std::string function = line.detail("func");
    SliceRecord record;
    record.category = Category::Runtime;
    record.correlation = line.number("extCorrId");
    const std::string prefix = "ncclProfile";
    const std::string name
        = line.type.starts_with(prefix) ? line.type.substr(prefix.size()) : line.type;
    store(line, { TrackKind::HostThread, line.process, line.thread, {} }, "thread " + line.thread,
          function.empty() ? name : name + ' ' + function, record);
}

void NcclEventLinesReader::addCollective(const NcclEventLine &line)
{
    NcclPendingCollective collective;
    collective.worker = m_worker;
    collective.name = line.detail("func");
    collective.process = line.process;
    collective.communicator = line.member("commId");
    collective.args = strictJson(line.details);
    collective.sequence = numberMember(line.details, "seq");
    collective.bytes
        = ncclBytes(numberMember(line.details, "count").value_or(0), line.detail("dtype"));
    collective.offset = line.offset;
    const std::string address = line.address("eventAddr");
    m_launches.addCollective(m_worker, address);
    m_pending.add(address, std::move(collective));
}

void NcclEventLinesReader::addKernelChannel(const NcclEventLine &line)
{
    if (NcclPendingCollective *parent = m_pending.find(line.address("parentObj"))) {
        std::optional<TimeRange> &all = parent->range;
        all = all ? checkedUnion(*all, *line.range) : *line.range;
    }
    const std::string row = "kernel channel " + line.detail("channel");
    store(line, { TrackKind::Communication, line.process, row, {} }, "NCCL " + row, "KernelCh", {});
}

/// A kernel is its collective's time on the device if it has one collective only.
void NcclEventLinesReader::addActivity(const NcclEventLine &line)
{
    const std::string name = line.member("name");
    const bool isNccl = name.find("nccl") != std::string::npos;
    SliceRecord record;
    record.category = line.type != "KERNEL" ? Category::Other
        : isNccl                            ? Category::CommKernel
                                            : Category::Kernel;
    record.correlation = line.number("extCorrId");
    const std::string *address = m_launches.onlyCollectiveOf(record.correlation);
    const NcclPendingCollective *own = address != nullptr ? m_pending.find(*address) : nullptr;
    CollectiveInfo info;
    if (own != nullptr) {
        describe(*own, info, record);
        record.collective = &info;
    }
    const std::string stream = line.member("stream");
    store(line, { TrackKind::Stream, line.process, stream, indexMember(line.members, "deviceId") },
          "stream " + stream, name, record);
    if (own != nullptr)
        m_pending.forget(*address);
}

void NcclEventLinesReader::describe(const NcclPendingCollective &collective, CollectiveInfo &info,
                                    SliceRecord &record) const
{
    info.kind = collectiveKind(collective.name);
    info.group = collective.communicator;
    info.sequence = collective.sequence;
    if (const int size = m_sizes.of(collective.communicator); size > 0)
        info.groupSize = size;
    record.bytes = collective.bytes;
    record.args = collective.args;
}

void NcclEventLinesReader::emitCollective(const NcclPendingCollective &collective)
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
    m_sink.slice(m_rows.row(collective.worker,
                            { TrackKind::Stream, collective.process, collective.communicator, {} },
                            "NCCL " + collective.communicator),
                 record);
}

void NcclEventLinesReader::store(const NcclEventLine &line, const TrackSpec &spec,
                                 const std::string &rowName, const std::string &name,
                                 SliceRecord record)
{
    record.startNs = line.range->startNs;
    record.durationNs = line.range->durationNs();
    record.name = m_sink.intern(name);
    const std::string args = record.args.empty() ? strictJson(line.details) : "";
    if (record.args.empty())
        record.args = args;
    m_sink.slice(m_rows.row(m_worker, spec, rowName), record);
}

} // namespace core
