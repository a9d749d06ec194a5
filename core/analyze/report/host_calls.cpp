#include "core/analyze/report/host_calls.h"

#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/base/duration_text.h"
#include "core/base/interval_set.h"
#include "core/base/shortened_name.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

namespace core {

namespace {

    constexpr std::size_t MostCallsNamed = 3;
    constexpr double SmallestShareNamed = 0.05; ///< of the idle time

    struct KnownCall
    {
        std::string_view name;
        HostCallKind kind;
    };

    /// Of CUDA's and HIP's runtime API and PyTorch's operators.
    constexpr std::array KnownCalls {
        KnownCall { "cudaMalloc", HostCallKind::Allocation },
        KnownCall { "cudaFree", HostCallKind::Allocation },
        KnownCall { "hipMalloc", HostCallKind::Allocation },
        KnownCall { "hipExtMallocWithFlags", HostCallKind::Allocation },
        KnownCall { "hipFree", HostCallKind::Allocation },
        KnownCall { "cudaDeviceSynchronize", HostCallKind::Synchronization },
        KnownCall { "cudaStreamSynchronize", HostCallKind::Synchronization },
        KnownCall { "cudaEventSynchronize", HostCallKind::Synchronization },
        KnownCall { "hipDeviceSynchronize", HostCallKind::Synchronization },
        KnownCall { "hipStreamSynchronize", HostCallKind::Synchronization },
        KnownCall { "hipEventSynchronize", HostCallKind::Synchronization },
        KnownCall { "aten::item", HostCallKind::Synchronization },
        KnownCall { "aten::_local_scalar_dense", HostCallKind::Synchronization },
        KnownCall { "cudaMemcpy", HostCallKind::Copy },
        KnownCall { "cudaMemcpyAsync", HostCallKind::Copy },
        KnownCall { "hipMemcpy", HostCallKind::Copy },
        KnownCall { "hipMemcpyAsync", HostCallKind::Copy },
        KnownCall { "hipMemcpyWithStream", HostCallKind::Copy },
    };

    /// Reads a rank's host threads; raw times.
    class CallSums
    {
    public:
        CallSums(const Trace &trace, std::vector<TimeRange> iterations, std::vector<TimeRange> idle)
            : m_trace(trace)
            , m_iterations(std::move(iterations))
            , m_idle(std::move(idle))
        {
        }

        void addThread(const SliceColumns &slices)
        {
            m_open.clear();
            for (std::size_t row = 0; row < slices.size(); ++row)
                if (slices.category[row] == Category::CpuOp
                    || slices.category[row] == Category::Runtime)
                    open(slices.name[row], { slices.startNs[row], slices.endNs(row) },
                         slices.phase[row] == Phase::Input);
            while (!m_open.empty())
                close();
        }

        void finish(HostCalls &calls) const
        {
            for (const auto &[name, sum] : m_calls)
                if (sum.idleNs > 0)
                    calls.calls.push_back({ m_trace.nameOf(name), sum.count, sum.idleNs });
            std::stable_sort(calls.calls.begin(), calls.calls.end(),
                             [](const auto &a, const auto &b) { return a.idleNs > b.idleNs; });
            std::int64_t mostNs = 0;
            for (const auto &[kind, byName] : m_kinds) {
                std::int64_t sumNs = 0;
                auto most = byName.begin();
                for (auto it = byName.begin(); it != byName.end(); ++it) {
                    sumNs += it->second;
                    most = it->second > most->second ? it : most;
                }
                if (2 * sumNs < calls.idleNs || sumNs <= mostNs)
                    continue;
                mostNs = sumNs;
                calls.cause = kind;
                calls.causeName = m_trace.nameOf(most->first);
            }
        }

    private:
        struct Open
        {
            NameId name;
            std::int64_t endNs;
            std::int64_t ownFromNs; ///< counted up to here
            /// What it is part of: what an aten::item calls is synchronization.
            std::optional<HostCallKind> kind;
            NameId kindsName;
            bool isInput; ///< findInput() tells of it
        };
        struct Sum
        {
            std::size_t count = 0;
            std::int64_t idleNs = 0;
        };

        void open(NameId name, const TimeRange &range, bool isInput)
        {
            while (!m_open.empty() && m_open.back().endNs <= range.startNs)
                close();
            Open call { name, range.endNs, range.startNs, hostCallKind(m_trace.nameOf(name)),
                        name, isInput };
            if (!m_open.empty()) {
                Open &around = m_open.back();
                count(around, range.startNs);
                call.endNs = std::min(call.endNs, around.endNs); // of those that do not nest
                if (around.kind == HostCallKind::Synchronization) {
                    call.kind = around.kind;
                    call.kindsName = around.kindsName;
                }
            }
            if (isInIteration(range.startNs))
                ++m_calls[name].count;
            m_open.push_back(call);
        }

        void close()
        {
            const Open call = m_open.back();
            m_open.pop_back();
            count(call, call.endNs);
            if (!m_open.empty())
                m_open.back().ownFromNs = std::max(m_open.back().ownFromNs, call.endNs);
        }

        /// Counts what `call` does itself from where it was counted to `untilNs`.
        void count(const Open &call, std::int64_t untilNs)
        {
            if (call.isInput)
                return;
            const TimeRange own { call.ownFromNs, untilNs };
            auto idle = std::upper_bound(
                m_idle.begin(), m_idle.end(), own.startNs,
                [](std::int64_t ns, const TimeRange &range) { return ns < range.endNs; });
            for (; idle != m_idle.end() && idle->startNs < own.endNs; ++idle) {
                const std::int64_t ns
                    = std::min(own.endNs, idle->endNs) - std::max(own.startNs, idle->startNs);
                m_calls[call.name].idleNs += ns;
                if (!call.kind)
                    continue;
                if (*call.kind != HostCallKind::Synchronization)
                    m_kinds[*call.kind][call.kindsName] += ns;
                else if (idle->startNs >= own.startNs) // begins in it
                    m_kinds[*call.kind][call.kindsName] += idle->durationNs();
            }
        }

        bool isInIteration(std::int64_t ns) const
        {
            const auto next = std::upper_bound(
                m_iterations.begin(), m_iterations.end(), ns,
                [](std::int64_t at, const TimeRange &range) { return at < range.startNs; });
            return next != m_iterations.begin() && std::prev(next)->contains(ns);
        }

        const Trace &m_trace;
        const std::vector<TimeRange> m_iterations; ///< by time
        const std::vector<TimeRange> m_idle; ///< by time
        std::vector<Open> m_open; ///< outermost first
        std::map<NameId, Sum> m_calls;
        std::map<HostCallKind, std::map<NameId, std::int64_t>> m_kinds;
    };

    IntervalSet busyStreams(const Trace &trace, WorkerId worker)
    {
        std::vector<TimeRange> busy;
        for (const Track &track : trace.tracks) {
            if (track.worker != worker || track.kind != TrackKind::Stream)
                continue;
            const SliceColumns &slices = trace.slices[track.id.value];
            for (std::size_t row = 0; row < slices.size(); ++row)
                if (isDeviceActivity(slices.category[row]))
                    busy.push_back({ slices.startNs[row], slices.endNs(row) });
        }
        return IntervalSet(std::move(busy));
    }

} // namespace

HostCalls hostCalls(const Trace &trace, int rank, const std::vector<std::int64_t> &rare)
{
    HostCalls calls;
    calls.rank = rank;
    const auto worker
        = std::find_if(trace.workers.begin(), trace.workers.end(),
                       [rank](const Worker &candidate) { return candidate.rank == rank; });
    if (worker == trace.workers.end())
        return calls;
    std::vector<TimeRange> iterations;
    for (const Iteration &iteration : trace.compared.iterations)
        if (iteration.worker == worker->id
            && std::find(rare.begin(), rare.end(), iteration.index) == rare.end())
            iterations.push_back(iteration.range);
    calls.iterations = static_cast<std::int64_t>(std::max<std::size_t>(1, iterations.size()));
    std::vector<TimeRange> idle
        = IntervalSet(iterations).without(busyStreams(trace, worker->id)).intervals();
    for (const TimeRange &range : idle)
        calls.idleNs += range.durationNs();
    CallSums sums(trace, std::move(iterations), std::move(idle));
    for (const Track &track : trace.tracks)
        if (track.worker == worker->id && track.kind == TrackKind::HostThread)
            sums.addThread(trace.slices[track.id.value]);
    sums.finish(calls);
    return calls;
}

std::string HostCalls::text(const std::string &per) const
{
    std::string text;
    for (std::size_t i = 0; i < std::min(MostCallsNamed, calls.size()); ++i) {
        if (static_cast<double>(calls[i].idleNs) < SmallestShareNamed * static_cast<double>(idleNs))
            break;
        const auto each = calls[i].count / static_cast<std::size_t>(iterations);
        text += (i == 0 ? "" : "; ") + shortenedName(calls[i].name) + ": "
            + countText(std::max<std::size_t>(1, each), "call") + ", "
            + durationText(calls[i].idleNs / iterations) + (i == 0 ? per : "");
    }
    return text;
}

std::optional<HostCallKind> hostCallKind(std::string_view name)
{
    const auto *const found
        = std::find_if(KnownCalls.begin(), KnownCalls.end(),
                       [name](const KnownCall &call) { return call.name == name; });
    return found == KnownCalls.end() ? std::nullopt : std::optional(found->kind);
}

std::string hostCallRemedy(HostCallKind kind, Framework framework)
{
    const bool isPyTorch = framework == Framework::PyTorch;
    switch (kind) {
    case HostCallKind::Allocation:
        return isPyTorch
            ? "Let the caching allocator keep device memory: freeing it in the loop waits for the "
              "device. Look whether PYTORCH_NO_CUDA_MEMORY_CACHING is set or "
              "torch.cuda.empty_cache() is called. If the memory is nearly full, use smaller "
              "batches or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True."
            : "Allocate device memory once, before the loop, or from a pool. Freeing it in the "
              "loop waits for the device.";
    case HostCallKind::Synchronization:
        return isPyTorch
            ? "Do not wait for the device in the loop: .item(), .cpu(), print of a tensor, "
              "torch.cuda.synchronize(). If needed, do so once in many iterations."
            : "Do not read results or synchronize in the loop. If needed, do so once in many "
              "iterations.";
    case HostCallKind::Copy:
        break;
    }
    return isPyTorch
        ? "Pin the host's memory and copy with non_blocking=True: the host waits for its copies. "
          "DataLoader(pin_memory=True) and tensor.pin_memory() pin it."
        : "Use pinned memory and asynchronous copies: the host waits for its copies.";
}

} // namespace core
