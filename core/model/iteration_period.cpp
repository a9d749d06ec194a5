#include "core/model/iteration_period.h"

#include "core/base/median_ns.h"

#include <algorithm>
#include <utility>

namespace core {

std::vector<std::uint32_t> positionsOf(const ComparedIterations &compared)
{
    return compared.period ? compared.period->positions : std::vector<std::uint32_t>();
}

IterationsAt iterationsAt(std::size_t count, const std::vector<std::uint32_t> &positions,
                          const std::function<bool(std::size_t)> &counts)
{
    const std::size_t length
        = positions.empty() ? 1 : *std::max_element(positions.begin(), positions.end()) + 1;
    const auto positionOf
        = [&positions](std::size_t i) { return positions.empty() ? 0 : positions[i]; };
    IterationsAt counted(length), all(length);
    for (std::size_t i = 0; i < count; ++i) {
        all[positionOf(i)].push_back(i);
        if (counts(i))
            counted[positionOf(i)].push_back(i);
    }
    const auto isEmpty = [](const auto &here) { return here.empty(); };
    if (std::all_of(counted.begin(), counted.end(), isEmpty))
        return {};
    for (std::size_t p = 0; p < length; ++p)
        if (counted[p].empty())
            counted[p] = std::move(all[p]);
    return counted;
}

std::int64_t typicalOfPeriod(const std::vector<std::int64_t> &values,
                             const std::vector<std::uint32_t> &positions)
{
    return typicalOfPeriod(
        values, iterationsAt(values.size(), positions, [](std::size_t) { return true; }));
}

std::int64_t typicalOfPeriod(const std::vector<std::int64_t> &values, const IterationsAt &which)
{
    return meanOverPositions(which, [&values](const std::vector<std::size_t> &here) {
        std::vector<std::int64_t> own;
        own.reserve(here.size());
        for (const std::size_t i : here)
            own.push_back(values[i]);
        return medianNs(std::move(own));
    });
}

} // namespace core
