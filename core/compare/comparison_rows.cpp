#include "core/compare/comparison_rows.h"

namespace core {

namespace {

    ComparedRow iterationRow(const RunComparison &comparison)
    {
        const MeasuredRun &earlier = comparison.earlier, &later = comparison.later;
        ComparedRow row;
        row.title = "iteration (median of " + std::to_string(earlier.iterationCount) + " and "
            + std::to_string(later.iterationCount) + ", slowest rank)";
        row.earlierNs = earlier.iteration.ns;
        row.laterNs = later.iteration.ns;
        if (comparison.hasNoise())
            row.noiseNs = comparison.gain.noiseNs();
        if (comparison.promise)
            row.promisedNs = comparison.promisedIteration().ns;
        return row;
    }

} // namespace

std::vector<ComparedRow> comparedRows(const RunComparison &comparison)
{
    std::vector<ComparedRow> rows { iterationRow(comparison) };
    for (const ComparedPart &part : comparison.parts)
        rows.push_back({ "mean " + std::string(part.part.title), part.earlierNs, part.laterNs,
                         part.noiseNs, part.promisedNs });
    return rows;
}

} // namespace core
