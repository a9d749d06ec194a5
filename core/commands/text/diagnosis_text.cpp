#include "core/commands/text/diagnosis_text.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/base/sentence.h"
#include "core/base/shortened_name.h"
#include "core/commands/text/text.h"
#include "core/model/compared_iterations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

namespace core {

namespace {

    // Printed; --json has more.
    constexpr std::size_t MostRows = 8, FewOperations = 5, MostOperations = 10,
                          MostNearCritical = 5;

    struct DeviceRow
    {
        const RankDiagnosis *rank;
        const DeviceBreakdown *device;
    };

    /// All, or those that compute longest; by rank.
    std::vector<DeviceRow> deviceRows(const std::vector<RankDiagnosis> &ranks, bool all)
    {
        std::vector<DeviceRow> rows;
        for (const RankDiagnosis &rank : ranks)
            for (const DeviceBreakdown &device : rank.devices)
                rows.push_back({ &rank, &device });
        if (all || rows.size() <= MostRows)
            return rows;
        std::stable_sort(rows.begin(), rows.end(), [](const DeviceRow &a, const DeviceRow &b) {
            return a.device->iterationMean.computeNs > b.device->iterationMean.computeNs;
        });
        rows.resize(MostRows);
        std::stable_sort(rows.begin(), rows.end(), [](const DeviceRow &a, const DeviceRow &b) {
            return a.rank->rank < b.rank->rank;
        });
        return rows;
    }

    /// "Mean of iterations 0 to 2", "The iteration", "The recorded time".
    std::string meanCaption(const Trace &trace, const IterationWords &words)
    {
        if (words.per().empty())
            return withCapital(words.one());
        std::set<std::int64_t> numbers;
        for (const Iteration &iteration : trace.compared.iterations)
            numbers.insert(iteration.index);
        return "Mean of " + iterationNumbersText({ numbers.begin(), numbers.end() });
    }

    /// "210.3 ms (rank 1)", "210.3 ms (most for rank 1)", "0 ns".
    std::string waitingText(std::int64_t waitNs, const std::vector<RankWait> &waits)
    {
        if (waitNs == 0 || waits.empty())
            return durationText(waitNs);
        return durationText(waitNs) + (waits.size() > 1 ? " (most for rank " : " (for rank ")
            + std::to_string(waits.front().rank) + ")";
    }

    struct Columns
    {
        bool all; ///< the long form
        bool waits, copies; ///< some device has such time
    };

    using Cell = std::pair<const char *, std::string>; ///< under its column's name

    std::vector<Cell> cellsOf(const DeviceRow &row, const Columns &columns)
    {
        const TimeBreakdown &t = row.device->iterationMean;
        std::vector<Cell> cells { { "rank", std::to_string(row.rank->rank) },
                                  { "device", row.device->device },
                                  { "time", durationText(t.windowNs) },
                                  { "compute", durationText(t.computeNs) } };
        if (columns.all) {
            cells.emplace_back("comm", durationText(t.commNs));
            cells.emplace_back("overlap", durationText(t.overlapNs));
        }
        cells.emplace_back("exposed comm", durationText(t.exposedCommNs));
        const std::optional<std::int64_t> transferNs = t.exposedTransferNs();
        if (columns.waits && columns.all)
            cells.emplace_back("of it transfer", transferNs ? durationText(*transferNs) : "-");
        if (columns.waits)
            cells.emplace_back("of it waiting",
                               transferNs ? waitingText(*t.exposedWaitNs, row.rank->waits) : "-");
        if (columns.copies)
            cells.emplace_back("copies", durationText(t.memOnlyNs));
        cells.emplace_back("idle", durationText(t.idleNs));
        return cells;
    }

    /// "12", "1.5", "0.33": of so many an iteration.
    std::string countNumber(double count)
    {
        char text[32];
        const bool isWhole = std::abs(count - std::round(count)) < 0.005;
        const int decimals = isWhole || count >= 100 ? 0 : count >= 10 ? 1 : 2;
        std::snprintf(text, sizeof text, "%.*f", decimals, count);
        return text;
    }

    std::string ofRank(std::int64_t ns, int rank)
    {
        return durationText(ns) + " (rank " + std::to_string(rank) + ")";
    }

    std::vector<std::string> operationRow(const OperationTime &one, bool all)
    {
        std::vector<std::string> row { shortenedName(one.name),
                                       std::string(deviceWorkName(one.kind)), durationText(one.ns),
                                       percentText(one.share), countNumber(one.count) };
        if (!all)
            return row;
        row.insert(row.end(),
                   { one.deviationNs ? durationText(*one.deviationNs) : "-",
                     durationText(one.meanNs), std::to_string(one.ranks),
                     one.ranks > 1 ? ofRank(one.leastNs, one.leastRank) : "-",
                     one.ranks > 1 ? ofRank(one.mostNs, one.mostRank) : "-" });
        return row;
    }

    /// Without parts of no length, unless `all`.
    std::string partsText(const CriticalPathParts &path, bool all)
    {
        const std::array<std::pair<const char *, std::int64_t>, 8> parts {
            { { "compute", path.computeNs },
              { "communication", path.commNs },
              { "copies", path.copyNs },
              { "host", path.hostNs },
              { "launch", path.launchNs },
              { "input", path.inputNs },
              { "wait", path.waitNs },
              { "idle", path.idleNs } }
        };
        std::string text;
        for (const auto &[name, ns] : parts)
            if (all || ns > 0)
                text += (text.empty() ? "" : ", ") + std::string(name) + " " + durationText(ns);
        return text;
    }

    /// "iteration 7 (nearest to the median; 691 ms measured, 693 ms replayed)"; in short without
    /// the brackets.
    std::string typicalText(const Diagnosis &diagnosis, const IterationWords &words, bool all)
    {
        const CriticalPathReport &path = diagnosis.criticalPath;
        std::string text
            = diagnosis.hasIterations ? "iteration " + std::to_string(path.iteration) : words.one();
        if (!all)
            return text;
        text += " (";
        if (diagnosis.nearCritical.iterations.size() > 1)
            text += diagnosis.period ? "nearest to the mean over a period; "
                                     : "nearest to the median; ";
        if (path.measuredNs > 0)
            text += durationText(path.measuredNs) + " measured, ";
        return text + durationText(path.totalNs()) + " replayed)";
    }

} // namespace

void printDevices(const Trace &trace, const Diagnosis &diagnosis, const IterationWords &words,
                  bool all, std::ostream &out)
{
    const std::vector<DeviceRow> every = deviceRows(diagnosis.ranks, true),
                                 rows = deviceRows(diagnosis.ranks, all);
    if (rows.empty())
        return;
    const auto isAny = [&every](const auto &test) {
        return std::any_of(every.begin(), every.end(), [&test](const DeviceRow &row) {
            return test(row.device->iterationMean);
        });
    };
    const Columns columns { all,
                            isAny([](const auto &t) { return t.exposedWaitNs.value_or(0) > 0; }),
                            isAny([](const auto &t) { return t.memOnlyNs > 0; }) };
    std::vector<std::string> names;
    for (const Cell &cell : cellsOf(rows.front(), columns))
        names.emplace_back(cell.first);
    TextTable table(std::move(names));
    for (const DeviceRow &row : rows) {
        std::vector<std::string> texts;
        for (Cell &cell : cellsOf(row, columns))
            texts.push_back(std::move(cell.second));
        table.addRow(std::move(texts));
    }
    out << meanCaption(trace, words) << ":\n";
    table.print(out);
    if (rows.size() < every.size())
        out << "... and " << every.size() - rows.size() << " more, which compute less\n";
}

void printOperations(const LongestOperations &operations, const IterationWords &words, bool all,
                     std::ostream &out)
{
    if (operations.operations.empty())
        return;
    const std::size_t shown
        = std::min(all ? MostOperations : FewOperations, operations.operations.size());
    out << "Longest operations, " << shown << " of " << operations.names << " (own time"
        << words.per() << ", mean of ranks):\n";
    std::vector<std::string> names { "operation", "kind", "own time", "share", "count" };
    if (all)
        names.insert(names.end(), { "+-", "each", "ranks", "shortest", "longest" });
    TextTable table(std::move(names));
    for (std::size_t i = 0; i < shown; ++i)
        table.addRow(operationRow(operations.operations[i], all));
    table.print(out);
}

void printCriticalPath(const Diagnosis &diagnosis, const IterationWords &words, bool all,
                       std::ostream &out)
{
    const CriticalPathReport &path = diagnosis.criticalPath;
    out << "Critical path of " << typicalText(diagnosis, words, all) << ": " << partsText(path, all)
        << "\n";
    const auto count = std::count_if(path.iterations.begin(), path.iterations.end(),
                                     [](const auto &one) { return one.isCounted; });
    if (all && count > 1)
        out << "  mean of " << count << " iterations: " << partsText(path.mean, true) << "\n";
}

void printKinds(const PeriodReport &period, std::ostream &out)
{
    TextTable kinds({ "iterations", "count", "median" });
    TextTable operations({ "operation", "ranks", "times", "usually", "time", "usually" });
    for (const KindReport &report : period.kinds) {
        const std::string which = iterationNumbersText(report.iterations);
        kinds.addRow(
            { which, std::to_string(report.iterations.size()), durationText(report.medianNs) });
        for (const KindOperation &one : report.kind.operations)
            operations.addRow({ shortenedName(one.name) + " in " + which,
                                one.ranks.empty() ? "all" : rankNumbersText(one.ranks),
                                countNumber(one.times), countNumber(one.usualTimes),
                                durationText(one.ns), durationText(one.usualNs) });
    }
    kinds.print(out);
    operations.print(out);
}

void printNearCritical(const NearCriticalReport &near, std::ostream &out)
{
    out << "Nearly critical: operations that become critical if they run longer by their slack (up "
           "to "
        << durationText(near.limitNs) << ")" << (near.steadyState.empty() ? ": none\n" : ":\n");
    if (near.steadyState.empty())
        return;
    TextTable table({ "operation", "rank", "device", "slack", "time",
                      "iterations of " + std::to_string(near.steadyIterations), "operations" });
    for (std::size_t i = 0; i < std::min(MostNearCritical, near.steadyState.size()); ++i) {
        const NearCriticalOp &op = near.steadyState[i];
        table.addRow({ shortenedName(op.name), std::to_string(op.rank), op.device,
                       durationText(op.slackNs), durationText(op.meanNs),
                       std::to_string(op.iterations), std::to_string(op.times) });
    }
    table.print(out);
}

} // namespace core
