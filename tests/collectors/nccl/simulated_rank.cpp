#include "tests/collectors/nccl/simulated_rank.h"

#include <algorithm>

namespace tests {

namespace {

    constexpr int StepsInFlight = 8;
    constexpr std::uint64_t SizeOfAnotherStep = 12345;
    constexpr std::uint64_t GpuStartNs = 1'000'000, GpuEndNs = 1'002'048;

} // namespace

SimulatedRank::SimulatedRank(LoadedPlugin &plugin, std::uint64_t communicator, int rank,
                             const Shape &shape)
    : m_plugin(plugin)
    , m_communicator(communicator)
    , m_rank(rank)
    , m_shape(shape)
    , m_context(plugin.init(communicator, "test:dp", shape.rankCount, rank))
{
}

void *SimulatedRank::enqueueAllReduce()
{
    const bool hasApi = m_plugin.hasApiEvents();
    void *groupApi = hasApi ? m_plugin.startApi(m_context, 0x100, nullptr) : nullptr;
    void *api = hasApi ? m_plugin.startApi(m_context, 0x200, "AllReduce") : nullptr;
    if (hasApi) {
        m_plugin.stateWithoutArguments(groupApi, 23);
        m_plugin.stop(api);
        m_plugin.stateWithoutArguments(groupApi, 24);
    }
    void *group = m_plugin.startGroup(m_context);
    const CollectiveCall call { m_sequence++, 1 << 20,
                                static_cast<std::uint8_t>(m_shape.channels) };
    void *operation
        = m_plugin.startAllReduce(m_context, hasApi ? api : group, m_rank, m_communicator, call);
    if (hasApi) {
        void *launch = m_plugin.startApi(m_context, 0x800, nullptr);
        m_plugin.stop(launch);
    }
    m_plugin.stop(operation);
    m_plugin.stop(group);
    if (hasApi)
        m_plugin.stop(groupApi);
    return operation;
}

SimulatedRank::Exchange SimulatedRank::enqueueExchange()
{
    void *group = m_plugin.startGroup(m_context);
    const SendCall send { true, next(), 1 << 10, 1 };
    const SendCall receive { false, previous(), 1 << 10, 1 };
    const Exchange exchange {
        m_plugin.startSend(m_context, group, m_rank, m_communicator, send),
        m_plugin.startSend(m_context, group, m_rank, m_communicator, receive),
    };
    m_plugin.stop(exchange.send);
    m_plugin.stop(exchange.receive);
    m_plugin.stop(group);
    return exchange;
}

void *SimulatedRank::startOp(void *operation, int channel, bool isSend, int steps) const
{
    void *op = m_plugin.startProxyOp(
        m_context, operation, m_rank,
        { static_cast<std::uint8_t>(channel), isSend ? next() : previous(), steps, isSend, 0 });
    m_plugin.stateWithoutArguments(op, 19);
    return op;
}

void *SimulatedRank::startKernel(void *operation, int channel) const
{
    return m_plugin.hasKernelChannels() ? m_plugin.startKernelChannel(
               m_context, operation, m_rank, static_cast<std::uint8_t>(channel), GpuStartNs)
                                        : nullptr;
}

void SimulatedRank::stopKernel(void *kernel, int channel) const
{
    constexpr int PhaseEvents = 0x8000, PhaseStop = 31;
    if (!m_plugin.hasKernelChannels())
        return;
    m_plugin.state(kernel, 22, GpuEndNs);
    const bool hasPhases = m_plugin.hasKernelPhases() && (m_plugin.mask() & PhaseEvents) != 0;
    for (std::uint8_t phase = 0; hasPhases && phase < 3; ++phase) {
        void *handle = m_plugin.startKernelPhase(m_context, kernel, m_rank,
                                                 static_cast<std::uint8_t>(channel), phase,
                                                 GpuStartNs + phase);
        if (handle == nullptr)
            continue;
        m_plugin.state(handle, PhaseStop, GpuStartNs + phase + 1);
        m_plugin.stop(handle);
    }
    m_plugin.stop(kernel);
}

void SimulatedRank::progressAllReduce(void *operation) const
{
    std::vector<void *> sends, receives, kernels;
    const int steps = m_shape.stepsOfAllReduce();
    for (int channel = 0; channel < m_shape.channels; ++channel) {
        receives.push_back(startOp(operation, channel, false, steps));
        sends.push_back(startOp(operation, channel, true, steps));
        kernels.push_back(startKernel(operation, channel));
    }
    for (std::size_t channel = 0; channel < sends.size(); ++channel)
        runSteps(sends[channel], receives[channel], steps);
    for (std::size_t channel = 0; channel < sends.size(); ++channel) {
        stopKernel(kernels[channel], static_cast<int>(channel));
        m_plugin.stop(sends[channel]);
        m_plugin.stop(receives[channel]);
    }
}

void SimulatedRank::progressExchange(const Exchange &exchange) const
{
    void *receive = startOp(exchange.receive, 0, false, 1);
    void *send = startOp(exchange.send, 0, true, 1);
    void *sendKernel = startKernel(exchange.send, 0);
    void *receiveKernel = startKernel(exchange.receive, 0);
    runSteps(send, receive, 1);
    stopKernel(sendKernel, 0);
    stopKernel(receiveKernel, 0);
    m_plugin.stop(send);
    m_plugin.stop(receive);
}

void SimulatedRank::runSteps(void *sendOp, void *receiveOp, int steps) const
{
    for (int begin = 0; begin < steps; begin += StepsInFlight) {
        const int end = std::min(begin + StepsInFlight, steps);
        std::vector<void *> sends, receives;
        for (int step = begin; step < end; ++step) {
            m_plugin.startProxyStep(m_context, receiveOp, m_rank, step); // was not accepted
            receives.push_back(m_plugin.startProxyStep(m_context, receiveOp, m_rank, step));
            m_plugin.state(receives.back(), 10, SizeOfAnotherStep);
            sends.push_back(m_plugin.startProxyStep(m_context, sendOp, m_rank, step));
            m_plugin.state(sends.back(), 8, SizeOfAnotherStep);
        }
        for (int step = begin; step < end; ++step) {
            stopSend(sends[static_cast<std::size_t>(step - begin)], step);
            stopReceive(receives[static_cast<std::size_t>(step - begin)], step);
        }
    }
}

void SimulatedRank::stopSend(void *step, int index) const
{
    m_plugin.state(step, 20, SizeOfAnotherStep);
    m_plugin.state(step, 20, SizeOfAnotherStep);
    m_plugin.state(step, 9, m_shape.bytesPerStep + static_cast<std::uint64_t>(index));
    m_plugin.stop(step);
}

void SimulatedRank::stopReceive(void *step, int index) const
{
    m_plugin.state(step, 11, m_shape.bytesPerStep + static_cast<std::uint64_t>(index));
    m_plugin.state(step, 12, SizeOfAnotherStep);
    m_plugin.stop(step);
}

} // namespace tests
