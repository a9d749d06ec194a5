#pragma once

#include "core/base/time_range.h"
#include "core/import/nsight/nsight_context.h"
#include "core/import/nsight/nvtx_payload.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

/// What the host side says about a communication kernel.
struct NcclLaunch
{
    std::string_view kind; ///< see collectiveKind(); empty: the calls were of several kinds
    std::optional<std::uint64_t> communicator;
    std::uint64_t bytes = 0; ///< of this rank; 0: unknown
};

/// Ties communication kernels to the NCCL calls that launched them. A call launches its kernel
/// itself, inside of its NVTX range, or hands it over to the end of its group:
///
///     thread   [AllReduce  launch ]   [GroupStart][Send][Recv][GroupEnd  launch ]
///
/// NCCL fuses a group's calls into few kernels; calls and kernels that cannot be told apart stay
/// untied. Ranges of NVTX name their functions "ncclAllReduce", or "AllReduce" since NCCL 2.28.
class NsightNccl
{
public:
    /// Holds at most about `mostBytes`.
    explicit NsightNccl(std::size_t mostBytes);

    /// A range of NVTX's domain "NCCL" on a host thread.
    void addRange(std::int64_t globalTid, const TimeRange &range, std::string_view name,
                  const NcclPayload &payload);
    /// A communication kernel's correlation; its launch is awaited.
    void addKernel(NsightProcess process, std::uint64_t correlation);
    /// A runtime call; kept if addKernel() has named it before.
    void noteCall(std::int64_t globalTid, std::uint64_t correlation, std::int64_t startNs);
    /// After the last call and range.
    void tie();

    /// nullptr if nothing is known of the kernel but its name.
    const NcclLaunch *launchOf(NsightProcess process, std::uint64_t correlation) const;
    /// How many ranks a communicator has, where its making was recorded.
    std::optional<int> groupSize(NsightProcess process, std::uint64_t communicator) const;
    /// Ranges, kernels, calls and communicators beyond the most that are kept; what they say is
    /// lost.
    std::uint64_t leftOut() const { return m_leftOut; }

private:
    using Kernel = std::pair<NsightProcess, std::uint64_t>;
    struct KernelHash
    {
        std::size_t operator()(const Kernel &kernel) const noexcept
        {
            return std::hash<std::uint64_t> {}(static_cast<std::uint64_t>(kernel.first)
                                               ^ kernel.second * 0x9e3779b97f4a7c15U);
        }
    };
    struct Call
    {
        TimeRange range;
        NcclLaunch launch;
        bool hasLaunched = false; ///< a kernel by itself, not through its group
    };
    struct Launching
    {
        std::int64_t startNs = 0;
        NcclLaunch *kernel = nullptr;
    };
    struct Thread
    {
        std::vector<Call> calls;
        std::vector<TimeRange> groupEnds;
        std::vector<Launching> launches;
    };

    /// Whether one more may be kept; if not, it is counted as left out.
    bool hasRoom(std::size_t count, std::size_t most);
    static void tieThread(Thread &thread);
    static std::vector<Launching> tieCalls(Thread &thread);
    static void tieGroup(const std::vector<const Call *> &calls,
                         const std::vector<NcclLaunch *> &kernels);

    const std::size_t m_mostRanges, m_mostKernels, m_mostCommunicators;
    std::unordered_map<Kernel, NcclLaunch, KernelHash> m_launches;
    std::map<std::int64_t, Thread> m_threads; ///< by globalTid
    std::map<Kernel, int> m_groupSizes; ///< by process and communicator
    std::size_t m_rangeCount = 0, m_callCount = 0;
    std::uint64_t m_leftOut = 0;
};

/// "0x5a0f3c...": the name of a process group that all of its ranks share; "" for none.
std::string communicatorName(std::optional<std::uint64_t> communicator);

} // namespace core
