#include "tests/accuracy/tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace accuracy {

namespace {

    constexpr std::string_view BeginMark = "<!-- accuracy table -->\n";
    constexpr std::string_view EndMark = "<!-- end of the accuracy table -->";

    struct Errors
    {
        double median = 0, worst = 0;
    };

    template <class ErrorOf>
    Errors errorsOf(const std::vector<Case> &cases, ErrorOf errorOf)
    {
        std::vector<double> errors;
        for (const Case &one : cases)
            errors.push_back(std::abs(errorOf(one)));
        if (errors.empty())
            return {};
        std::sort(errors.begin(), errors.end());
        return { errors[errors.size() / 2], errors.back() };
    }

    Errors ours(const Group &group)
    {
        return errorsOf(group.cases, [](const Case &one) { return one.error(); });
    }

    Errors naive(const Group &group)
    {
        std::vector<Case> with = group.cases;
        std::erase_if(with, [](const Case &one) { return one.naiveMs == 0; });
        return errorsOf(with, [](const Case &one) { return one.naiveError(); });
    }

    Errors exposed(const Group &group)
    {
        return errorsOf(group.cases, [](const Case &one) { return one.exposedError; });
    }

    /// Only of a replay of the same recording: other runs' parts are measured with a profiler's
    /// cost, other than the truth.
    bool isExposedRight(const Group &group)
    {
        return group.isWhatIf
            || std::all_of(group.cases.begin(), group.cases.end(),
                           [](const Case &one) { return one.isExposedRight(); });
    }

    std::size_t covered(const Group &group)
    {
        return static_cast<std::size_t>(
            std::count_if(group.cases.begin(), group.cases.end(),
                          [](const Case &one) { return one.isCovered(); }));
    }

    std::string percent(double fraction)
    {
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%.1f %%", 100 * fraction);
        return text.data();
    }

    std::string row(const Group &group)
    {
        const Errors own = ours(group), other = naive(group);
        std::string text = "| " + group.what + " | " + std::to_string(group.cases.size()) + " | "
            + percent(own.median) + " | " + percent(own.worst) + " | "
            + percent(exposed(group).worst) + " | ";
        if (!group.isWhatIf)
            return text + "- | - | - |\n";
        return text + std::to_string(covered(group)) + " | " + percent(other.median) + " | "
            + percent(other.worst) + " |\n";
    }

} // namespace

void printCases(const Group &group)
{
    std::printf("%s (parts: errors as shares of the iteration)\n%-38s %-36s %9s %10s %8s %8s %8s "
                "%8s %8s %8s  %s\n",
                group.what.c_str(), "from", "to", "truth", "predicted", "error", "compute",
                "exposed", "overlap", "idle", "Daydream", "95 % interval");
    for (const Case &one : group.cases) {
        std::printf("%-38s %-36s %7.1fms %8.1fms %+7.2f%% %+7.2f%% %+7.2f%% %+7.2f%% %+7.2f%%",
                    one.from.c_str(), one.to.c_str(), one.truthMs, one.predictedMs,
                    100 * one.error(), 100 * one.computeError, 100 * one.exposedError,
                    100 * one.overlapError, 100 * one.idleError);
        if (group.isWhatIf)
            std::printf(" %+7.1f%%  %.1f-%.1f%s\n", 100 * one.naiveError(), one.lowMs, one.highMs,
                        one.isCovered() ? "" : " missed");
        else
            std::printf("%s\n", one.isExposedRight() ? "" : " missed");
    }
}

bool printSummary(const Group &group)
{
    const Errors own = ours(group), other = naive(group);
    std::printf("%s: %zu cases, median |error| %s, worst %s", group.what.c_str(),
                group.cases.size(), percent(own.median).c_str(), percent(own.worst).c_str());
    const double share = static_cast<double>(covered(group))
        / static_cast<double>(std::max<std::size_t>(1, group.cases.size()));
    if (group.isWhatIf)
        std::printf("; %zu truths in the 95 %% interval; Daydream's model: median %s, worst %s",
                    covered(group), percent(other.median).c_str(), percent(other.worst).c_str());
    std::printf("; exposed communication: worst %s of the iteration\n",
                percent(exposed(group).worst).c_str());
    const bool isGood = !group.cases.empty() && own.median <= group.largestMedian
        && own.worst <= group.largestWorst && share >= group.smallestCoverage
        && isExposedRight(group);
    if (!isGood)
        std::printf("  MISSED: median at most %s, worst at most %s, covered at least %s%s\n",
                    percent(group.largestMedian).c_str(), percent(group.largestWorst).c_str(),
                    percent(group.smallestCoverage).c_str(),
                    group.isWhatIf ? ""
                                   : ", exposed communication within 10 % or 2 % of the "
                                     "iteration");
    return isGood;
}

bool writeReadme(const std::filesystem::path &readme, const std::vector<Group> &groups)
{
    std::ifstream in(readme, std::ios::binary);
    std::string text { std::istreambuf_iterator<char>(in), {} };
    in.close();
    const std::size_t begin = text.find(BeginMark), end = text.find(EndMark);
    if (begin == std::string::npos || end == std::string::npos || end < begin) {
        std::printf("%s has no accuracy table to replace\n", readme.c_str());
        return false;
    }
    std::string table
        = "| | cases | median error | worst error | exposed: worst error | in the interval | "
          "Daydream: median | Daydream: worst |\n|---|---|---|---|---|---|---|---|\n";
    for (const Group &group : groups)
        table += row(group);
    const std::size_t from = begin + BeginMark.size();
    text.replace(from, end - from, table);
    std::ofstream(readme, std::ios::binary) << text;
    return true;
}

} // namespace accuracy
