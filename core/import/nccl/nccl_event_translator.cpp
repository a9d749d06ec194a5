#include "core/import/nccl/nccl_event_translator.h"

#include "core/import/kineto/kineto_collectives.h"
#include "core/import/nccl/nccl_event_kinds.h"
#include "core/import/nccl/nccl_event_times.h"

namespace core {

NcclEventTranslator::NcclEventTranslator(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_ranks(sink, m_file)
    , m_rows(sink, m_file)
{
}

void NcclEventTranslator::addTree(const NcclEventTree &tree)
{
    const std::vector<WorkerId> workers = m_ranks.workersOf(tree);
    m_operation = {};
    m_proxyOp = {};
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const Place place { tree, i, workers[i] };
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
    m_operation = { event.subtreeEnd, ncclText(event, "CommHash"),
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
        = ncclBytes(numberMember(event.args, "Count").value_or(0), ncclText(event, "Datatype"));
    record.collective = &info;
    storeOnDevice(place, record);
}

void NcclEventTranslator::addPointToPoint(const Place &place)
{
    const NcclEvent &event = place.event();
    const std::string communicator = ncclText(event, "CommHash");
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
        = ncclBytes(numberMember(event.args, "Count").value_or(0), ncclText(event, "Datatype"));
    record.transfer = peer && number ? &transfer : nullptr;
    storeOnDevice(place, record);
}

void NcclEventTranslator::storeOnDevice(const Place &place, SliceRecord record)
{
    const std::optional<TimeRange> range = ncclDeviceRange(place.tree, place.index);
    if (!range) {
        noteMissing(
            "no-device-time", place.event(),
            "when collectives, sends and receives ended on the device is not in the file; only "
            "their host times are kept. NCCL up to 2.30 loses the end of all kernel channels but "
            "the first; record with a newer one and with NCCL_PROFILE_EVENT_MASK containing 2 "
            "(collectives), 4 (sends), 8 and 16 (network) and 64 (kernel channels)");
        return;
    }
    record.startNs = range->startNs;
    record.durationNs = range->durationNs();
    store(place, { TrackKind::Stream, place.event().pid, m_operation.communicator, {} },
          "NCCL " + m_operation.communicator, record);
}

void NcclEventTranslator::addKernelChannel(const Place &place)
{
    const NcclEvent &event = place.event();
    const std::optional<std::int64_t> endNs = ncclKernelEnd(event);
    if (!event.startNs || !endNs) {
        m_sink.diagnostics().countLost(
            "no-kernel-end", Severity::Warning, { m_file, event.offset },
            "kernel channels have no end time (NCCL up to 2.30 loses it on all channels "
            "but the first); they were only counted. Record with a newer NCCL");
        return;
    }
    const std::string channel = ncclText(event, "Channel");
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
    const std::string row = "channel " + ncclText(event, "Channel") + (isSend ? " to " : " from ")
        + ncclText(event, "Peer");
    SliceRecord record;
    record.bytes = numberMember(event.args, "transSize").value_or(0);
    if (isNcclProxyOp(event))
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
    if (isNcclTransferState(event.name) && step && m_proxyOp.peer) {
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
        = ncclBytes(numberMember(event.args, "count").value_or(0), ncclText(event, "datatype"));
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
    const std::optional<TimeRange> range = ncclHostRange(place.event());
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
    const WorkerId first = m_ranks.firstWorker();
    for (const auto &[category, count] : m_strays)
        countCategory(m_counts[first], category, count);
    for (const auto &[worker, counts] : m_counts) {
        for (const auto &[category, count] : counts)
            m_sink.countEvents(worker, category, count);
    }
    m_ranks.describeAll();
    m_sink.diagnostics().count(
        "relative-time", Severity::Info, { m_file, {} },
        "times count from the start of the plug-in in each process and ranks are those of the "
        "communicator: they are the job's ranks only if the communicator has all of them");
}

} // namespace core
