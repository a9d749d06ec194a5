#include "core/import/nccl_event_translator.h"

#include "core/import/checked_range.h"
#include "core/import/kineto_collectives.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::size_t MaximumRanks = 4096; ///< of one process
    constexpr std::size_t MaximumStreams = 100'000; ///< whose rank is remembered

    bool isOperation(const NcclEvent &event)
    {
        return event.category == "COLL" || event.category == "P2P";
    }

    bool isApiCall(const NcclEvent &event)
    {
        return event.category == "COLL_API" || event.category == "P2P_API";
    }

    bool isTransferState(const std::string &name)
    {
        return name == "SendWait" || name == "RecvWait";
    }

    /// What the plug-in of NCCL 2.26 and later calls ProgressSend, the older ones call Send.
    bool isProxyOp(const NcclEvent &event)
    {
        return event.args.size() > 1 && !event.name.starts_with("Schedule");
    }

    std::string textOf(const NcclEvent &event, std::string_view key)
    {
        return std::string(textMember(event.args, key).value_or(std::string_view()));
    }

    std::optional<TimeRange> hostRange(const NcclEvent &event)
    {
        return checkedRange(event.startNs, event.endNs);
    }

    /// When the kernel ran on one channel. The end is often lost; then the GPU's own clock, whose
    /// zero is unknown, still tells how long it ran.
    std::optional<std::int64_t> kernelEnd(const NcclEvent &event)
    {
        if (const std::optional<TimeRange> range = hostRange(event))
            return range->endNs;
        const std::uint64_t start = numberMember(event.args, "StartGpuClk").value_or(0);
        const std::uint64_t stop = numberMember(event.args, "StopGpuClk").value_or(0);
        constexpr std::uint64_t LongestNs = 24ULL * 3600 * 1'000'000'000;
        if (!event.startNs || start == 0 || stop < start || stop - start > LongestNs)
            return std::nullopt;
        std::int64_t end = 0;
        const auto duration = static_cast<std::int64_t>(stop - start);
        return __builtin_add_overflow(*event.startNs, duration, &end) ? std::nullopt
                                                                      : std::optional(end);
    }

    /// The rank of every event, where the file tells it: from the collectives and transfers down to
    /// their parts, up to their API calls, and by the stream to the kernel launches. Adds to
    /// `forgotten` the operations whose streams are too many.
    std::vector<std::optional<int>> ranksOf(const NcclEventTree &tree,
                                            std::map<std::string, int> &rankOfStream,
                                            std::uint64_t &forgotten)
    {
        std::vector<std::optional<int>> ranks(tree.size());
        std::size_t call = tree.size();
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (isApiCall(tree[i]))
                call = i;
            const std::optional<int> rank
                = isOperation(tree[i]) ? indexMember(tree[i].args, "Rank") : std::nullopt;
            if (!rank)
                continue;
            for (std::size_t part = i; part < tree[i].subtreeEnd; ++part)
                ranks[part] = rank;
            if (call < i && i < tree[call].subtreeEnd) {
                ranks[call] = rank;
                const std::string stream = textOf(tree[call], "Stream");
                if (rankOfStream.size() < MaximumStreams || rankOfStream.contains(stream))
                    rankOfStream[stream] = *rank;
                else
                    ++forgotten;
            }
        }
        for (std::size_t i = 0; i < tree.size(); ++i) {
            if (tree[i].category != "KERNEL_LAUNCH")
                continue;
            const auto found = rankOfStream.find(textOf(tree[i], "Stream"));
            if (found != rankOfStream.end())
                ranks[i] = found->second;
        }
        return ranks;
    }

} // namespace

NcclEventTranslator::NcclEventTranslator(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_rows(sink, m_file)
{
}

void NcclEventTranslator::addTree(const NcclEventTree &tree)
{
    std::uint64_t forgotten = 0;
    const std::vector<std::optional<int>> ranks = ranksOf(tree, m_rankOfStream, forgotten);
    if (forgotten > 0)
        m_sink.diagnostics().add(
            { "too-many-streams", Severity::Warning, forgotten, m_file, tree.front().offset,
              "operations on more than 100000 streams in one process: launches on the further ones "
              "were put to the first rank. If that many streams never were, the file is damaged: "
              "record again" });
    for (const std::optional<int> &rank : ranks) {
        if (rank)
            workerOf(rank); // before the process's own events, which go to its first rank
    }
    m_operation = {};
    m_proxyOp = {};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Place place { tree, i, workerOf(ranks[i]) };
        countCategory(m_counts[place.worker], tree[i].category, tree[i].isClosed ? 2 : 1);
        if (tree[i].isClosed)
            (this->*handlerOf(tree[i]))(place);
    }
}

NcclEventTranslator::Handler NcclEventTranslator::handlerOf(const NcclEvent &event)
{
    static const std::map<std::string_view, Handler> handlers = {
        { "COLL", &NcclEventTranslator::addCollective },
        { "P2P", &NcclEventTranslator::addPointToPoint },
        { "GPU", &NcclEventTranslator::addKernelChannel },
        { "PROXY", &NcclEventTranslator::addProxy },
        { "NET", &NcclEventTranslator::addStep },
        { "GROUP_API", &NcclEventTranslator::addHostCall },
        { "COLL_API", &NcclEventTranslator::addHostCall },
        { "P2P_API", &NcclEventTranslator::addHostCall },
        { "KERNEL_LAUNCH", &NcclEventTranslator::addHostCall },
        { "GROUP", &NcclEventTranslator::addHostCall },
        { "CE_COLL", &NcclEventTranslator::addCopyEngine },
    };
    const auto found = handlers.find(event.category);
    return found != handlers.end() ? found->second : &NcclEventTranslator::addOther;
}

/// A collective's own record tells when the host enqueued it; it ran from the first to the last
/// moment of its kernel channels and of its network operations.
void NcclEventTranslator::addCollective(const Place &place)
{
    const NcclEvent &event = place.event();
    const std::optional<std::uint64_t> sequence = numberMember(event.args, "SeqNum");
    m_operation = { event.subtreeEnd, textOf(event, "CommHash"),
                    event.name + ' ' + std::to_string(sequence.value_or(0)),
                    indexMember(event.args, "Rank").value_or(0) };
    addHostCall(place);

    CollectiveInfo info;
    info.kind = collectiveKind(event.name);
    info.group = m_operation.communicator;
    info.sequence = sequence;
    SliceRecord record;
    record.category = Category::CommKernel;
    record.bytes
        = ncclBytes(numberMember(event.args, "Count").value_or(0), textOf(event, "Datatype"));
    record.collective = &info;
    storeOnDevice(place, record);
}

void NcclEventTranslator::addPointToPoint(const Place &place)
{
    const NcclEvent &event = place.event();
    const std::string communicator = textOf(event, "CommHash");
    const int rank = indexMember(event.args, "Rank").value_or(0);
    const std::optional<int> peer = indexMember(event.args, "Peer");
    const bool isSend = event.name == "Send";
    const int source = isSend ? rank : peer.value_or(-1);
    const int destination = isSend ? peer.value_or(-1) : rank;
    const std::optional<std::uint64_t> number
        = m_pointToPoint.next(communicator, source, destination, isSend);
    m_operation
        = { event.subtreeEnd, communicator, "p2p " + std::to_string(number.value_or(0)), rank };
    addHostCall(place);
    if (!number)
        noteMissing("too-many-peers", event,
                    "sends and receives between more than a million pairs of ranks: those of the "
                    "further ones are not matched. The file is damaged, record again");

    const std::string transaction = number
        ? ncclTransaction(communicator, m_operation.label, source, destination, -1)
        : std::string();
    const TransferInfo transfer { isSend, peer, {}, transaction };
    SliceRecord record;
    record.category = Category::CommKernel;
    record.bytes
        = ncclBytes(numberMember(event.args, "Count").value_or(0), textOf(event, "Datatype"));
    record.transfer = peer && number ? &transfer : nullptr;
    storeOnDevice(place, record);
}

void NcclEventTranslator::storeOnDevice(const Place &place, SliceRecord record)
{
    const std::optional<TimeRange> range = deviceRange(place);
    if (!range)
        return;
    record.startNs = range->startNs;
    record.durationNs = range->durationNs();
    store(place, { TrackKind::Stream, place.event().pid, m_operation.communicator, {} },
          "NCCL " + m_operation.communicator, record);
}

std::optional<TimeRange> NcclEventTranslator::deviceRange(const Place &place) const
{
    std::optional<std::int64_t> kernelStart, proxyStart, end;
    const auto note
        = [](std::optional<std::int64_t> &kept, std::optional<std::int64_t> ns, bool isEarlier) {
              if (ns && (!kept || (isEarlier ? *ns < *kept : *ns > *kept)))
                  kept = ns;
          };
    for (std::size_t i = place.index + 1; i < place.event().subtreeEnd; ++i) {
        const NcclEvent &part = place.tree[i];
        if (part.category == "GPU") {
            note(kernelStart, part.startNs, true);
            note(end, kernelEnd(part), false);
        } else if (part.category == "PROXY" && isProxyOp(part)) {
            note(proxyStart, part.startNs, true);
            note(end, part.endNs, false);
        }
    }
    const std::optional<std::int64_t> start = kernelStart ? kernelStart : proxyStart;
    if (const std::optional<TimeRange> range = checkedRange(start, end))
        return range;
    m_sink.diagnostics().count(
        "no-device-time", Severity::Warning, { m_file, place.event().offset },
        "when collectives, sends and receives ended on the device is not in the file; only their "
        "host times are kept. NCCL up to 2.30 loses the end of all kernel channels but the first; "
        "record with a newer one and with NCCL_PROFILE_EVENT_MASK containing 2 (collectives), 4 "
        "(sends), 8 and 16 (network) and 64 (kernel channels)");
    return std::nullopt;
}

void NcclEventTranslator::addKernelChannel(const Place &place)
{
    const NcclEvent &event = place.event();
    const std::optional<std::int64_t> endNs = kernelEnd(event);
    if (!event.startNs || !endNs) {
        m_sink.diagnostics().countLost(
            "no-kernel-end", Severity::Warning, { m_file, event.offset },
            "kernel channels have no end time (NCCL up to 2.30 loses it on all channels "
            "but the first); they were only counted. Record with a newer NCCL");
        return;
    }
    const std::string channel = textOf(event, "Channel");
    SliceRecord record;
    record.startNs = *event.startNs;
    record.durationNs = *endNs - *event.startNs;
    store(place, { TrackKind::Communication, event.pid, "kernel channel " + channel, {} },
          "NCCL kernel, channel " + channel, record);
}

void NcclEventTranslator::addProxy(const Place &place)
{
    const NcclEvent &event = place.event();
    if (event.args.size() <= 1) { // Idle, Sleep, Append of the proxy thread
        storeTimed(place, { TrackKind::Other, event.pid, "proxy", {} }, "NCCL proxy thread", {});
        return;
    }
    const bool isSend = event.name.ends_with("Send");
    const std::string row = "channel " + textOf(event, "Channel") + (isSend ? " to " : " from ")
        + textOf(event, "Peer");
    SliceRecord record;
    record.bytes = numberMember(event.args, "transSize").value_or(0);
    if (isProxyOp(event))
        m_proxyOp = { event.subtreeEnd,
                      indexMember(event.args, "Channel"),
                      indexMember(event.args, "Peer"),
                      indexMember(event.args, "Steps"),
                      record.bytes,
                      isSend,
                      row };
    storeTimed(place, { TrackKind::Communication, event.pid, "network " + row, {} },
               "NCCL network, " + row, record);
}

/// SendWait is the time in which a step's data is on its way, RecvWait that until it has come.
void NcclEventTranslator::addStep(const Place &place)
{
    const NcclEvent &event = place.event();
    if (place.index >= m_proxyOp.end) {
        addOther(place);
        return;
    }
    SliceRecord record;
    TransferInfo transfer { m_proxyOp.isSend, m_proxyOp.peer, m_proxyOp.channel, {} };
    std::string transaction;
    const std::optional<int> step = indexMember(event.args, "Step");
    if (isTransferState(event.name) && step && m_proxyOp.peer) {
        transaction = transactionOf(place, *step);
        transfer.transaction = transaction;
        record.transfer = transaction.empty() ? nullptr : &transfer;
        record.bytes = m_proxyOp.steps == 1 ? m_proxyOp.bytes : 0;
    }
    storeTimed(place, { TrackKind::Communication, event.pid, "network " + m_proxyOp.row, {} },
               "NCCL network, " + m_proxyOp.row, record);
}

std::string NcclEventTranslator::transactionOf(const Place &place, int step)
{
    if (place.index >= m_operation.end) {
        noteMissing("detached-transfer", place.event(),
                    "network steps that were run for another process (PXN) do not tell which "
                    "collective they belong to and are not matched with their other end. Set "
                    "NCCL_PXN_DISABLE=1 while recording to have it");
        return {};
    }
    const int source = m_proxyOp.isSend ? m_operation.rank : *m_proxyOp.peer;
    const int destination = m_proxyOp.isSend ? *m_proxyOp.peer : m_operation.rank;
    return ncclTransaction(m_operation.communicator, m_operation.label, source, destination, step);
}

void NcclEventTranslator::addHostCall(const Place &place)
{
    SliceRecord record;
    record.category = Category::Runtime;
    storeTimed(place, { TrackKind::HostThread, place.event().pid, "NCCL", {} }, "NCCL calls",
               record);
}

/// Collectives by copy engine (NCCL 2.29 and later) name neither communicator nor number.
void NcclEventTranslator::addCopyEngine(const Place &place)
{
    const NcclEvent &event = place.event();
    SliceRecord record;
    record.category = Category::CommKernel;
    record.bytes
        = ncclBytes(numberMember(event.args, "count").value_or(0), textOf(event, "datatype"));
    storeTimed(place, { TrackKind::Stream, event.pid, "copy engine", {} }, "NCCL copy engine",
               record);
}

void NcclEventTranslator::addOther(const Place &place)
{
    const NcclEvent &event = place.event();
    storeTimed(place, { TrackKind::Communication, event.pid, event.category, {} },
               "NCCL " + event.category, {});
}

void NcclEventTranslator::storeTimed(const Place &place, const TrackSpec &spec,
                                     const std::string &rowName, SliceRecord record)
{
    const std::optional<TimeRange> range = hostRange(place.event());
    if (!range) {
        m_sink.diagnostics().countLost(
            "no-time", Severity::Warning, { m_file, place.event().offset },
            "events whose begin or end was not taken (0) were only counted. The plug-in "
            "of NCCL up to 2.30 does not take the begin of API calls and kernel launches");
        return;
    }
    record.startNs = range->startNs;
    record.durationNs = range->durationNs();
    store(place, spec, rowName, record);
}

void NcclEventTranslator::store(const Place &place, const TrackSpec &spec,
                                const std::string &rowName, SliceRecord record)
{
    const std::string args = strictJson(place.event().args);
    record.name = m_sink.intern(place.event().name);
    record.args = args;
    m_sink.slice(m_rows.row(place.worker, spec, rowName), record);
}

WorkerId NcclEventTranslator::workerOf(std::optional<int> rank)
{
    if (!rank && !m_workers.empty())
        return m_workers.begin()->second;
    const auto known = m_workers.find(rank);
    if (known != m_workers.end())
        return known->second;
    if (m_workers.size() == 1 && !m_workers.begin()->first) {
        // What came before the first rank is known now to be that rank's.
        auto node = m_workers.extract(m_workers.begin());
        node.key() = rank;
        return m_workers.insert(std::move(node)).position->second;
    }
    if (m_workers.size() >= MaximumRanks) {
        m_sink.diagnostics().count("too-many-ranks", Severity::Error, { m_file, {} },
                                   "more than 4096 ranks in one process: the file is damaged. "
                                   "What the further ones did was put to the first rank");
        return m_workers.begin()->second;
    }
    return m_workers[rank] = m_sink.addWorker();
}

void NcclEventTranslator::noteMissing(const char *code, const NcclEvent &event, const char *message)
{
    m_sink.diagnostics().count(code, Severity::Warning, { m_file, event.offset }, message);
}

void NcclEventTranslator::countRecord(const std::string &category)
{
    countCategory(m_strays, category);
}

void NcclEventTranslator::finish()
{
    const WorkerId first = workerOf(std::nullopt);
    for (const auto &[category, count] : m_strays)
        countCategory(m_counts[first], category, count);
    for (const auto &[worker, counts] : m_counts) {
        for (const auto &[category, count] : counts)
            m_sink.countEvents(worker, category, count);
    }
    for (const auto &[rank, worker] : m_workers) {
        WorkerInfo info;
        info.rank = rank;
        m_sink.describeWorker(worker, info);
    }
    m_sink.diagnostics().count(
        "relative-time", Severity::Info, { m_file, {} },
        "times count from the start of the plug-in in each process and ranks are those of the "
        "communicator: they are the job's ranks only if the communicator has all of them");
}

} // namespace core
