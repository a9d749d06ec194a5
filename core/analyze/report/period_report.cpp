#include "core/analyze/report/period_report.h"

#include "core/base/duration_text.h"
#include "core/base/median_ns.h"
#include "core/base/ranks_text.h"
#include "core/base/saturated_time.h"
#include "core/base/shortened_name.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostNamed = 3; ///< operations of a kind
    constexpr std::size_t MostKinds = 4; ///< told in the sentence on the period

    KindReport kindReport(const IterationKind &kind, const std::vector<std::uint32_t> &positions,
                          const std::vector<CommonIteration> &iterations)
    {
        KindReport report;
        report.kind = kind;
        std::vector<std::int64_t> times;
        for (std::size_t i = 0; i < iterations.size(); ++i)
            if (std::binary_search(kind.positions.begin(), kind.positions.end(), positions[i])) {
                report.iterations.push_back(iterations[i].index);
                times.push_back(iterations[i].slowestNs);
            }
        report.medianNs = medianNs(std::move(times));
        return report;
    }

    /// "4th".
    std::string ordinalText(std::uint32_t number)
    {
        constexpr std::array Endings = { "th", "st", "nd", "rd" };
        const bool isTeen = number % 100 / 10 == 1;
        const std::uint32_t last = number % 10;
        return std::to_string(number) + (isTeen || last > 3 ? "th" : Endings[last]);
    }

    std::string whichText(const IterationKind &kind, std::uint32_t length)
    {
        const std::size_t count = kind.positions.size();
        return count == 1 ? "Every " + ordinalText(length) + " iteration"
                          : std::to_string(count) + " of " + std::to_string(length) + " iterations";
    }

    /// "all_reduce (20.00 ms)", "aten::mm on rank 0 (5.000 ms more)".
    std::string operationText(const KindOperation &operation)
    {
        const bool isOther = operation.times > 0 && operation.usualTimes > 0;
        return shortenedName(operation.name)
            + (operation.ranks.empty() ? "" : " on " + ranksText(operation.ranks)) + " ("
            + durationText(std::abs(operation.excessNs()))
            + (!isOther                       ? ")"
                   : operation.excessNs() < 0 ? " less)"
                                              : " more)");
    }

    /// "has A (1 ms), B (2 ms) and 3 more"; empty without any.
    std::string listText(const std::string &verb, const std::vector<std::string> &operations)
    {
        if (operations.empty())
            return {};
        std::vector<std::string> shown = operations;
        if (operations.size() > MostNamed) {
            shown.resize(MostNamed - 1);
            shown.push_back(std::to_string(operations.size() - shown.size()) + " more");
        }
        std::string text = verb + shown.front();
        for (std::size_t i = 1; i < shown.size(); ++i)
            text += (i + 1 == shown.size() ? " and " : ", ") + shown[i];
        return text;
    }

    std::string kindText(const KindReport &report, std::uint32_t length)
    {
        std::vector<std::string> has, lacks;
        for (const KindOperation &operation : report.kind.operations)
            (operation.times > 0 ? has : lacks).push_back(operationText(operation));
        const bool areSeveral = report.kind.positions.size() > 1;
        const std::string hasText = listText(areSeveral ? " have " : " has ", has);
        const std::string lacksText = listText(areSeveral ? " lack " : " lacks ", lacks);
        return whichText(report.kind, length) + hasText
            + (hasText.empty() || lacksText.empty() ? "" : " and") + lacksText + ".";
    }

} // namespace

std::optional<PeriodReport> periodReport(const Trace &trace, std::int64_t measuredNs)
{
    const auto &period = trace.compared.period;
    if (!period)
        return std::nullopt;
    const std::vector<CommonIteration> iterations = commonIterations(trace);
    PeriodReport report;
    report.length = period->length;
    report.meanNs = measuredNs;
    report.kinds.reserve(period->kinds.size());
    for (const IterationKind &kind : period->kinds)
        report.kinds.push_back(kindReport(kind, period->positions, iterations));
    return report;
}

bool areKinds(const IterationGroups &groups, const PeriodReport &period)
{
    const auto isSlower = [&groups](std::int64_t index) {
        return std::binary_search(groups.slower.begin(), groups.slower.end(), index);
    };
    std::set<std::int64_t> explained;
    for (const KindReport &kind : period.kinds)
        if (std::all_of(kind.iterations.begin(), kind.iterations.end(), isSlower))
            for (const std::int64_t index : kind.iterations)
                explained.insert({ index, saturatedSum(index, 1) });
    return std::includes(explained.begin(), explained.end(), groups.slower.begin(),
                         groups.slower.end());
}

std::string periodText(const PeriodReport &period)
{
    std::string text = "Iterations repeat with a period of " + std::to_string(period.length) + ": ";
    const std::size_t shown = period.kinds.size() > MostKinds ? MostKinds - 1 : period.kinds.size();
    for (std::size_t i = 0; i < shown; ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(period.kinds[i].iterations.size()) + " take "
            + durationText(period.kinds[i].medianNs);
    if (shown < period.kinds.size())
        text
            += ", the others are of " + std::to_string(period.kinds.size() - shown) + " more kinds";
    return text + " (medians). Figures are the mean over a period: " + durationText(period.meanNs)
        + ".";
}

std::vector<std::string> kindTexts(const PeriodReport &period)
{
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < period.kinds.size(); ++i)
        texts.push_back(kindText(period.kinds[i], period.length));
    return texts;
}

std::string typicalWords(std::size_t periodLength)
{
    return periodLength > 1
        ? "mean over a period of " + std::to_string(periodLength) + " iterations"
        : "median iteration";
}

} // namespace core
