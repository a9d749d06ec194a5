#include "core/import/nccl/nccl_event_times.h"

#include "core/import/checked_range.h"
#include "core/import/nccl/nccl_event_kinds.h"

namespace core {

std::optional<TimeRange> ncclHostRange(const NcclEvent &event)
{
    return checkedRange(event.startNs, event.endNs);
}

std::optional<std::int64_t> ncclKernelEnd(const NcclEvent &event)
{
    if (const std::optional<TimeRange> range = ncclHostRange(event))
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

std::optional<TimeRange> ncclDeviceRange(const NcclEventTree &tree, std::size_t operation)
{
    std::optional<std::int64_t> kernelStart, proxyStart, end;
    const auto note
        = [](std::optional<std::int64_t> &kept, std::optional<std::int64_t> ns, bool isEarlier) {
              if (ns && (!kept || (isEarlier ? *ns < *kept : *ns > *kept)))
                  kept = ns;
          };
    for (std::size_t i = operation + 1; i < tree[operation].subtreeEnd; ++i) {
        const NcclEvent &part = tree[i];
        if (part.category == "GPU") {
            note(kernelStart, part.startNs, true);
            note(end, ncclKernelEnd(part), false);
        } else if (part.category == "PROXY" && isNcclProxyOp(part)) {
            note(proxyStart, part.startNs, true);
            note(end, part.endNs, false);
        }
    }
    const std::optional<std::int64_t> start = kernelStart ? kernelStart : proxyStart;
    return checkedRange(start, end);
}

} // namespace core
