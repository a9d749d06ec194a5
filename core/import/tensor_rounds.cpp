#include "core/import/tensor_rounds.h"

#include <algorithm>
#include <limits>

namespace core {

void TensorRounds::add(std::string_view tensor, std::int64_t startNs, std::int64_t endNs)
{
    auto known = m_tensors.find(tensor);
    if (known == m_tensors.end())
        known = m_tensors.emplace(tensor, Tensor {}).first;
    known->second.startsNs.push_back(startNs);
    known->second.lastEndNs = std::max(known->second.lastEndNs, endNs);
}

/// How often most tensors are communicated; of equals the larger number.
std::size_t TensorRounds::usualCount() const
{
    std::map<std::size_t, std::size_t> tensorsByCount;
    for (const auto &[name, tensor] : m_tensors)
        ++tensorsByCount[tensor.startsNs.size()];
    std::size_t usual = 0, most = 0;
    for (const auto &[count, tensors] : tensorsByCount) {
        if (tensors >= most) {
            most = tensors;
            usual = count;
        }
    }
    return usual;
}

std::vector<TimeRange> TensorRounds::iterations() const
{
    const std::size_t count = usualCount();
    if (count < 2)
        return {};
    std::vector<TimeRange> ranges(count);
    std::int64_t lastEndNs = std::numeric_limits<std::int64_t>::min();
    for (std::size_t n = 0; n < count; ++n) {
        std::int64_t firstNs = std::numeric_limits<std::int64_t>::max();
        for (const auto &[name, tensor] : m_tensors) {
            const std::size_t own = tensor.startsNs.size();
            if (own > n && own + 1 >= count && own <= count + 1) {
                firstNs = std::min(firstNs, tensor.startsNs[n]);
                lastEndNs = std::max(lastEndNs, tensor.lastEndNs);
            }
        }
        ranges[n].startNs = firstNs;
        if (n > 0)
            ranges[n - 1].endNs = firstNs;
    }
    ranges.back().endNs = lastEndNs;
    const bool isOrdered = std::all_of(ranges.begin(), ranges.end(), [](const TimeRange &range) {
        return range.startNs < range.endNs;
    });
    return isOrdered ? ranges : std::vector<TimeRange> {};
}

} // namespace core
