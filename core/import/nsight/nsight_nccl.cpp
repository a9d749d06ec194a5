#include "core/import/nsight/nsight_nccl.h"

#include "core/import/kineto/kineto_collectives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace core {

namespace {

    // Whatever the memory.
    constexpr std::size_t MostRanges = 8'000'000;
    constexpr std::size_t MostKernels = 4'000'000;
    constexpr std::size_t MostCommunicators = 100'000;
    // About what each takes, in vectors and tables that grow; of a kernel with its call.
    constexpr std::size_t BytesPerNcclRange = 160, BytesPerNcclKernel = 160, BytesPerGroupSize = 96;
    constexpr std::size_t NcclParts = 3; ///< of the memory; one for each of the above

    std::string_view withoutPrefix(std::string_view name)
    {
        return name.starts_with("nccl") ? name.substr(4) : name;
    }

    bool endsGroup(std::string_view function)
    {
        return function == "GroupEnd" || function == "API Group";
    }

    /// What several calls that one kernel carries out have in common.
    template <class Calls>
    NcclLaunch fused(const Calls &calls)
    {
        NcclLaunch all = calls.front()->launch;
        for (std::size_t i = 1; i < calls.size(); ++i) {
            const NcclLaunch &one = calls[i]->launch;
            if (one.kind != all.kind) {
                const bool isPair = one.kind == "send" || one.kind == "recv";
                const bool wasPair
                    = all.kind == "send" || all.kind == "recv" || all.kind == "send_recv";
                all.kind = isPair && wasPair ? "send_recv" : "";
            }
            if (one.communicator != all.communicator)
                all.communicator.reset();
            all.bytes += one.bytes;
        }
        return all;
    }

} // namespace

NsightNccl::NsightNccl(std::size_t mostBytes)
    : m_mostRanges(std::min(MostRanges, mostBytes / NcclParts / BytesPerNcclRange))
    , m_mostKernels(std::min(MostKernels, mostBytes / NcclParts / BytesPerNcclKernel))
    , m_mostCommunicators(std::min(MostCommunicators, mostBytes / NcclParts / BytesPerGroupSize))
{
}

bool NsightNccl::hasRoom(std::size_t count, std::size_t most)
{
    m_leftOut += count < most ? 0 : 1;
    return count < most;
}

void NsightNccl::addRange(std::int64_t globalTid, const TimeRange &range, std::string_view name,
                          const NcclPayload &payload)
{
    const std::string_view function = withoutPrefix(name);
    if (payload.communicator && payload.rankCount && *payload.rankCount > 0
        && *payload.rankCount <= std::numeric_limits<int>::max()) {
        const Kernel key { nsightProcessOf(globalTid), *payload.communicator };
        if (m_groupSizes.contains(key) || hasRoom(m_groupSizes.size(), m_mostCommunicators))
            m_groupSizes[key] = static_cast<int>(*payload.rankCount);
    }
    const bool isGroupEnd = endsGroup(function);
    const std::string_view kind = collectiveKind(function);
    if (!isGroupEnd && kind == "other")
        return;
    if (!hasRoom(m_rangeCount, m_mostRanges))
        return;
    ++m_rangeCount;
    Thread &thread = m_threads[globalTid];
    if (isGroupEnd)
        thread.groupEnds.push_back(range);
    else
        thread.calls.push_back(
            { range, { kind, payload.communicator, payload.bytes.value_or(0) }, false });
}

void NsightNccl::addKernel(NsightProcess process, std::uint64_t correlation)
{
    if (hasRoom(m_launches.size(), m_mostKernels))
        m_launches.try_emplace({ process, correlation });
}

void NsightNccl::noteCall(std::int64_t globalTid, std::uint64_t correlation, std::int64_t startNs)
{
    const auto found = m_launches.find({ nsightProcessOf(globalTid), correlation });
    if (found == m_launches.end() || !hasRoom(m_callCount, m_mostKernels))
        return;
    ++m_callCount;
    m_threads[globalTid].launches.push_back({ startNs, &found->second });
}

void NsightNccl::tie()
{
    for (auto &thread : m_threads)
        tieThread(thread.second);
    m_threads.clear();
}

/// Launches inside of a call are its own. Returns the others, which wait for their group's end.
std::vector<NsightNccl::Launching> NsightNccl::tieCalls(Thread &thread)
{
    std::vector<Launching> others;
    auto call = thread.calls.begin();
    for (const Launching &launch : thread.launches) {
        while (call != thread.calls.end() && call->range.endNs <= launch.startNs)
            ++call;
        if (call != thread.calls.end() && call->range.contains(launch.startNs)) {
            *launch.kernel = call->launch;
            call->hasLaunched = true;
        } else {
            others.push_back(launch);
        }
    }
    return others;
}

void NsightNccl::tieThread(Thread &thread)
{
    std::sort(thread.calls.begin(), thread.calls.end(),
              [](const Call &a, const Call &b) { return a.range.startNs < b.range.startNs; });
    std::sort(thread.groupEnds.begin(), thread.groupEnds.end(),
              [](const TimeRange &a, const TimeRange &b) { return a.startNs < b.startNs; });
    std::sort(thread.launches.begin(), thread.launches.end(),
              [](const Launching &a, const Launching &b) { return a.startNs < b.startNs; });
    const std::vector<Launching> grouped = tieCalls(thread);
    auto call = thread.calls.begin();
    auto launch = grouped.begin();
    std::int64_t coveredUntilNs = std::numeric_limits<std::int64_t>::min();
    for (const TimeRange &end : thread.groupEnds) {
        if (end.startNs < coveredUntilNs)
            continue; // a group inside of a group launches nothing
        coveredUntilNs = end.endNs;
        std::vector<const Call *> calls;
        for (; call != thread.calls.end() && call->range.startNs < end.endNs; ++call) {
            if (!call->hasLaunched)
                calls.push_back(&*call);
        }
        std::vector<NcclLaunch *> kernels;
        for (; launch != grouped.end() && launch->startNs < end.endNs; ++launch) {
            if (launch->startNs >= end.startNs)
                kernels.push_back(launch->kernel);
        }
        tieGroup(calls, kernels);
    }
}

void NsightNccl::tieGroup(const std::vector<const Call *> &calls,
                          const std::vector<NcclLaunch *> &kernels)
{
    if (calls.empty() || kernels.empty())
        return;
    if (kernels.size() == 1) {
        *kernels.front() = fused(calls);
    } else if (kernels.size() == calls.size()) {
        for (std::size_t i = 0; i < calls.size(); ++i)
            *kernels[i] = calls[i]->launch;
    }
}

const NcclLaunch *NsightNccl::launchOf(NsightProcess process, std::uint64_t correlation) const
{
    const auto found = m_launches.find({ process, correlation });
    const bool isKnown = found != m_launches.end()
        && (!found->second.kind.empty() || found->second.communicator || found->second.bytes > 0);
    return isKnown ? &found->second : nullptr;
}

std::optional<int> NsightNccl::groupSize(NsightProcess process, std::uint64_t communicator) const
{
    const auto found = m_groupSizes.find({ process, communicator });
    return found == m_groupSizes.end() ? std::nullopt : std::optional(found->second);
}

std::string communicatorName(std::optional<std::uint64_t> communicator)
{
    if (!communicator)
        return {};
    std::array<char, 16> digits {};
    const auto [end, error]
        = std::to_chars(digits.data(), digits.data() + digits.size(), *communicator, 16);
    return error == std::errc() ? "0x" + std::string(digits.data(), end) : std::string();
}

} // namespace core
