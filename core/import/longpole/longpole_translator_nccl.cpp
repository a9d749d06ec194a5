#include "core/import/kineto/kineto_collectives.h"
#include "core/import/longpole/longpole_translator.h"
#include "core/import/nccl/nccl_names.h"
#include "core/import/text/lenient_members.h"

#include <array>
#include <charconv>

// The records of the NCCL collector.
namespace core {

using namespace collectors;

namespace {

    /// As NCCL prints it; equal on all ranks.
    std::string communicatorText(std::uint64_t communicator)
    {
        std::array<char, 16> digits {};
        const auto [end, error]
            = std::to_chars(digits.data(), digits.data() + digits.size(), communicator, 16);
        return "0x" + std::string(digits.data(), end);
    }

    int indexOf(std::uint32_t number)
    {
        return static_cast<int>(number & 0x7FFFFFFFU);
    }

    /// One state of a network step: from `begin` to the next state that there was.
    struct StepState
    {
        const char *name;
        std::uint32_t beginNs, endNs; ///< after the step's start
        bool isTransfer;
    };

    std::array<StepState, 3> statesOf(const ProxyStepRecord &step)
    {
        constexpr std::array SendNames = { "SendGpuWait", "SendPeerWait", "SendWait" };
        constexpr std::array RecvNames = { "RecvWait", "RecvFlushWait", "RecvGpuWait" };
        std::array<StepState, 3> states {};
        std::uint32_t endNs = step.endNs;
        for (std::size_t i = states.size(); i-- > 0;) {
            const std::uint32_t beginNs = step.stateNs[i];
            const bool isSend = step.isSend != 0;
            states[i] = { isSend ? SendNames[i] : RecvNames[i], beginNs, beginNs == 0 ? 0 : endNs,
                          i == (isSend ? 2U : 0U) };
            endNs = beginNs != 0 ? beginNs : endNs;
        }
        return states;
    }

} // namespace

RecordedTranslator::Row RecordedTranslator::communicatorRow(std::uint64_t communicator,
                                                            std::uint32_t rank,
                                                            WorkerId worker) const
{
    const std::string text = communicatorText(communicator);
    const CommunicatorRecord *known = m_names.communicator(communicator, rank);
    const std::string &name = m_names.text(known != nullptr ? known->name : 0);
    return { TrackKind::Stream,
             m_process,
             text,
             "NCCL " + (name.empty() ? text : name),
             known != nullptr ? std::optional(indexOf(known->device)) : std::nullopt,
             worker };
}

RecordedTranslator::Row RecordedTranslator::callRow(const RecordView &record, WorkerId worker) const
{
    Row row = threadRow(record.header.threadId);
    row.worker = worker;
    return row;
}

WorkerId RecordedTranslator::workerOf(const OperationKey &key, const RecordView &record)
{
    return m_ranks.workerOf(key.communicator, key.rank, record.offset);
}

RecordedTranslator::Row RecordedTranslator::networkRow(std::uint32_t channel, std::uint32_t peer,
                                                       bool isSend, WorkerId worker) const
{
    const std::string row = "channel " + std::to_string(channel) + (isSend ? " to " : " from ")
        + std::to_string(peer);
    return { TrackKind::Communication, m_process,    "network " + row,
             "NCCL network, " + row,   std::nullopt, worker };
}

std::string RecordedTranslator::operationOf(const OperationKey &key) const
{
    return (key.function != 0 ? m_names.text(key.function) : "p2p") + ' '
        + std::to_string(key.sequence);
}

std::string RecordedTranslator::transactionOf(const OperationKey &key, std::uint32_t peer,
                                              bool isSend, int step) const
{
    const int own = indexOf(key.rank);
    const int other = indexOf(peer);
    return ncclTransaction(communicatorText(key.communicator), operationOf(key),
                           isSend ? own : other, isSend ? other : own, step);
}

void RecordedTranslator::addCollective(const RecordView &record)
{
    const auto call = record.as<CollectiveRecord>();
    const std::string &name = m_names.text(call.function);
    const WorkerId worker = m_ranks.workerOf(call.communicator, call.rank, record.offset);
    SliceRecord host;
    host.category = Category::Runtime;
    store(record, callRow(record, worker), name, call.start, call.end, host);
    if ((call.flags & TimeOnDeviceKnown) == 0)
        return count(record, "no-device-time", Severity::Warning,
                     "collectives whose end was not seen on the device are only there as host "
                     "calls. Record with kernel channels (LONGPOLE_NCCL_EVENTS), or with CUPTI");
    const std::string group = communicatorText(call.communicator);
    CollectiveInfo info;
    info.kind = collectiveKind(name);
    info.group = group;
    info.sequence = call.sequence;
    const CommunicatorRecord *known = m_names.communicator(call.communicator, call.rank);
    if (known != nullptr && known->rankCount > 0)
        info.groupSize = indexOf(known->rankCount);
    SliceRecord slice;
    slice.category = Category::CommKernel;
    slice.correlation = call.correlation;
    slice.bytes = call.bytes;
    slice.collective = &info;
    const std::string args = strictJson({ { "algorithm", m_names.text(call.algorithm), true },
                                          { "protocol", m_names.text(call.protocol), true },
                                          { "datatype", m_names.text(call.datatype), true },
                                          { "count", std::to_string(call.count), false },
                                          { "channels", std::to_string(call.channels), false } });
    slice.args = args;
    store(record, communicatorRow(call.communicator, call.rank, worker), name, call.deviceStart,
          call.deviceEnd, slice);
}

void RecordedTranslator::addPointToPoint(const RecordView &record)
{
    const auto call = record.as<PointToPointRecord>();
    const bool isSend = call.isSend != 0;
    const char *name = isSend ? "Send" : "Recv";
    const WorkerId worker = m_ranks.workerOf(call.communicator, call.rank, record.offset);
    SliceRecord host;
    host.category = Category::Runtime;
    store(record, callRow(record, worker), name, call.start, call.end, host);
    if ((call.flags & TimeOnDeviceKnown) == 0)
        return count(record, "no-device-time", Severity::Warning,
                     "sends and receives whose end was not seen on the device are only there as "
                     "host calls. Record with kernel channels (LONGPOLE_NCCL_EVENTS)");
    const std::string transaction
        = transactionOf({ call.communicator, call.number, 0, call.rank }, call.peer, isSend, -1);
    const auto peer = m_ranks.jobRankOf(call.communicator, call.rank, call.peer);
    const TransferInfo transfer { isSend, peer, {}, transaction };
    SliceRecord slice;
    slice.category = Category::CommKernel;
    slice.correlation = call.correlation;
    slice.bytes = call.bytes;
    slice.transfer = &transfer;
    store(record, communicatorRow(call.communicator, call.rank, worker), name, call.deviceStart,
          call.deviceEnd, slice);
}

void RecordedTranslator::addProxyOp(const RecordView &record)
{
    const auto op = record.as<ProxyOpRecord>();
    SliceRecord slice;
    slice.bytes = op.bytes;
    const WorkerId worker = workerOf(op.operation, record);
    store(record, networkRow(op.channel, op.peer, op.isSend != 0, worker),
          operationOf(op.operation), op.start, op.end, slice);
}

void RecordedTranslator::addProxyStep(const RecordView &record)
{
    const auto step = record.as<ProxyStepRecord>();
    const bool isSend = step.isSend != 0;
    const std::string transaction
        = transactionOf(step.operation, step.peer, isSend, indexOf(step.step));
    const auto peer
        = m_ranks.jobRankOf(step.operation.communicator, step.operation.rank, step.peer);
    const TransferInfo transfer { isSend, peer, indexOf(step.channel), transaction };
    const Row row = networkRow(step.channel, step.peer, isSend, workerOf(step.operation, record));
    constexpr std::int64_t LatestStart = std::int64_t { 1 } << 62;
    if (step.start <= 0 || step.start > LatestStart)
        return count(record, "bad-time", Severity::Error,
                     "network steps without a start were left out. Record with a newer version "
                     "of the collector");
    for (const StepState &state : statesOf(step)) {
        if (state.beginNs == 0)
            continue;
        SliceRecord slice;
        slice.bytes = state.isTransfer ? step.bytes : 0;
        slice.transfer = state.isTransfer ? &transfer : nullptr;
        store(record, row, state.name, step.start + state.beginNs, step.start + state.endNs, slice);
    }
}

void RecordedTranslator::addKernelChannel(const RecordView &record)
{
    const auto channel = record.as<KernelChannelRecord>();
    const std::string row = "kernel channel " + std::to_string(channel.channel);
    std::int64_t endNs = channel.end;
    if (endNs == 0 && channel.gpuStart != 0 && channel.gpuEnd >= channel.gpuStart
        && channel.gpuEnd - channel.gpuStart < (std::uint64_t { 1 } << 62U)
        && channel.start < (std::int64_t { 1 } << 61))
        endNs = channel.start + static_cast<std::int64_t>(channel.gpuEnd - channel.gpuStart);
    const WorkerId worker = workerOf(channel.operation, record);
    store(record, { TrackKind::Communication, m_process, row, "NCCL " + row, std::nullopt, worker },
          operationOf(channel.operation), channel.start, endNs, {});
}

} // namespace core
