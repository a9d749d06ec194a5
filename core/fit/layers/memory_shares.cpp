#include "core/fit/layers/memory_shares.h"

#include "core/measure/framework_ops.h"
#include "core/measure/layer_compute.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace core {

namespace {

    /// Framework ops that allocate, set or copy memory, and do nothing else with it.
    constexpr std::array<std::string_view, 19> MemoryOps {
        "aten::zeros",         "aten::zeros_like", "aten::new_zeros",
        "aten::zero_",         "aten::ones",       "aten::ones_like",
        "aten::new_ones",      "aten::full",       "aten::full_like",
        "aten::new_full",      "aten::fill_",      "aten::copy_",
        "aten::clone",         "aten::contiguous", "aten::to",
        "aten::_to_copy",      "aten::empty",      "aten::empty_like",
        "aten::empty_strided",
    };

    bool isMemoryOp(std::string_view name)
    {
        return std::find(MemoryOps.begin(), MemoryOps.end(), name) != MemoryOps.end();
    }

} // namespace

MemoryShares::MemoryShares(const Graph &recorded, const Trace &trace, const JobControl &control)
{
    const std::vector<bool> isAccelerated = acceleratedWorkers(recorded);
    const SliceIndex index(trace);
    for (std::size_t op = 0; op < recorded.size(); ++op) {
        throwIfCancelled(control);
        if (isAccelerated[recorded.worker[op].value] || !isLayerCompute(recorded, op, false))
            continue;
        const auto place = index.find(recorded.slice[op]);
        if (!place)
            continue;
        const float share
            = frameworkShare(trace, trace.slices[place->track.value], place->row, isMemoryOp);
        if (share > 0)
            m_shares[recorded.slice[op].value] = share;
    }
}

double MemoryShares::of(SliceId slice) const
{
    const auto found = m_shares.find(slice.value);
    return found == m_shares.end() ? 0 : static_cast<double>(found->second);
}

} // namespace core
