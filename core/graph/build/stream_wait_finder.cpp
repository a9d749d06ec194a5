#include "core/graph/build/stream_wait_finder.h"

#include <algorithm>
#include <tuple>

namespace core {

/// Of one worker.
class StreamWaitFinder::OfWorker
{
public:
    OfWorker(const StreamWaitFinder &all, WorkerId worker)
        : m_all(all)
        , m_context(all.m_context)
        , m_launches(all.m_launches)
        , m_worker(worker)
    {
    }

    FoundWaits find()
    {
        const auto &threads = m_context.workers[m_worker.value].threads;
        for (const std::vector<OpId> &thread : threads)
            m_hasCalls = m_hasCalls || std::any_of(thread.begin(), thread.end(), [this](OpId op) {
                             return m_all.callOf(op) == StreamCall::StreamWait;
                         });
        for (const std::vector<OpId> &thread : threads)
            follow(thread);
        findAwaited();
        return std::move(m_found);
    }

private:
    /// A thread's calls since it last launched something.
    struct Calls
    {
        std::vector<std::int64_t> waitNs;
        std::optional<std::int64_t> recordNs; ///< the last event before the last wait
        std::size_t waitsBefore = 0; ///< of waitNs, those before that
        std::optional<std::int64_t> lastRecordNs;
    };

    struct ComputeWait
    {
        std::int64_t ns;
        OpId waiting;
    };

    struct CollectiveLaunch
    {
        std::int64_t ns;
        OpId op;
    };

    void follow(const std::vector<OpId> &thread)
    {
        Calls calls;
        std::optional<DeviceId> current;
        for (const OpId call : thread) {
            const std::int64_t ns = m_context.builder.op(call).measuredStartNs;
            if (m_all.callOf(call) == StreamCall::EventRecord) {
                calls.lastRecordNs = ns;
            } else if (m_all.callOf(call) == StreamCall::StreamWait) {
                addWait(calls, ns);
            } else if (const auto op = m_all.launchedBy(call)) {
                if (isCollectiveOp(m_context, *op)) {
                    addCollective(*op, ns, calls, current);
                } else {
                    current = m_context.builder.op(*op).device;
                    addComputeWaits(calls.waitNs, *current);
                }
                calls = {};
            }
        }
        if (current)
            addComputeWaits(calls.waitNs, *current);
    }

    static void addWait(Calls &calls, std::int64_t ns)
    {
        if (calls.lastRecordNs) {
            calls.recordNs = calls.lastRecordNs;
            calls.waitsBefore = calls.waitNs.size();
            calls.lastRecordNs.reset();
        }
        calls.waitNs.push_back(ns);
    }

    void addCollective(OpId op, std::int64_t ns, Calls &calls, std::optional<DeviceId> current)
    {
        m_collectives[kindOf(op)].push_back({ ns, op });
        if (!current)
            current = m_launches.streamOfKernelBefore(m_worker, ns);
        if (!current)
            return;
        const bool isOnOwnStream = *current != m_context.builder.op(op).device;
        if (!isOnOwnStream)
            return addComputeWaits(calls.waitNs, *current);
        const std::size_t before = calls.recordNs ? calls.waitsBefore : 0;
        const bool waits = calls.waitNs.size() > before;
        calls.waitNs.resize(before);
        addComputeWaits(calls.waitNs, *current);
        if (m_hasCalls && !waits)
            return;
        const auto next = m_launches.firstFrom(*current, ns);
        if (!m_hasCalls && next)
            m_found.possibleEnds.push_back({ op, *next });
        const auto awaited = m_launches.lastBefore(*current, calls.recordNs.value_or(ns));
        if (awaited)
            m_found.begins[kindOf(op)].push_back({ *awaited, op });
    }

    WaitKind kindOf(OpId op) const
    {
        return { m_context.builder.op(op).device, m_context.builder.op(op).name };
    }

    void addComputeWaits(const std::vector<std::int64_t> &waitNs, DeviceId stream)
    {
        for (const std::int64_t ns : waitNs)
            if (const auto waiting = m_launches.firstFrom(stream, ns))
                m_waits.push_back({ ns, *waiting });
    }

    /// Waits for collectives, each for one in their order; where there are fewer, each for all
    /// that were launched.
    void findAwaited()
    {
        std::sort(m_waits.begin(), m_waits.end(), [](const auto &a, const auto &b) {
            return std::tie(a.ns, a.waiting) < std::tie(b.ns, b.waiting);
        });
        for (auto &[kind, launches] : m_collectives) {
            std::sort(launches.begin(), launches.end(), [](const auto &a, const auto &b) {
                return std::tie(a.ns, a.op) < std::tie(b.ns, b.op);
            });
            const bool isForEach = m_waits.size() >= launches.size();
            auto wait = m_waits.begin();
            std::size_t next = 0;
            while (next < launches.size()) {
                // Of thousands of kinds most are launched a few times: waits before are passed over
                // at once.
                wait = std::partition_point(
                    wait, m_waits.end(),
                    [ns = launches[next].ns](const ComputeWait &one) { return one.ns <= ns; });
                if (wait == m_waits.end())
                    break;
                const std::size_t first = next;
                while (next < launches.size() && launches[next].ns < wait->ns
                       && (!isForEach || next == first))
                    ++next;
                const bool isOnOwnStream
                    = m_context.builder.op(wait->waiting).device != kind.stream;
                if (isOnOwnStream)
                    m_found.ends[kind].push_back({ launches[next - 1].op, wait->waiting });
                ++wait;
            }
        }
    }

    const StreamWaitFinder &m_all;
    const GraphContext &m_context;
    const DeviceLaunches &m_launches;
    WorkerId m_worker;
    bool m_hasCalls = false;
    std::vector<ComputeWait> m_waits;
    std::map<WaitKind, std::vector<CollectiveLaunch>> m_collectives;
    FoundWaits m_found;
};

bool isCollectiveOp(const GraphContext &context, OpId op)
{
    return context.builder.op(op).kind == OpKind::Communication || context.isReadyOp(op);
}

StreamWaitFinder::StreamWaitFinder(const GraphContext &context)
    : m_context(context)
    , m_launches(context)
    , m_launchedBy(context.builder.size())
{
    for (const auto &edge : context.builder.edges())
        if (edge.kind == EdgeKind::Launch) {
            m_launchedBy[edge.from.value].op = edge.to;
            ++m_launchedBy[edge.from.value].count;
        }
    m_callOfName.reserve(context.trace.names.size());
    for (const std::string &name : context.trace.names)
        m_callOfName.push_back(streamCallOf(name));
}

FoundWaits StreamWaitFinder::find(WorkerId worker) const
{
    return OfWorker(*this, worker).find();
}

StreamWaitFinder::StreamCall StreamWaitFinder::streamCallOf(std::string_view name)
{
    if (!name.starts_with("cu") && !name.starts_with("hip"))
        return StreamCall::None;
    if (name.find("StreamWaitEvent") != std::string_view::npos)
        return StreamCall::StreamWait;
    return name.find("EventRecord") != std::string_view::npos ? StreamCall::EventRecord
                                                              : StreamCall::None;
}

StreamWaitFinder::StreamCall StreamWaitFinder::callOf(OpId op) const
{
    const std::size_t name = m_context.builder.op(op).name.value;
    return name < m_callOfName.size() ? m_callOfName[name] : StreamCall::None;
}

std::optional<OpId> StreamWaitFinder::launchedBy(OpId call) const
{
    const Launched &launched = m_launchedBy[call.value];
    return launched.count == 1 ? std::optional(launched.op) : std::nullopt;
}

} // namespace core
