#include "core/project/schema/timing_tables.h"

#include "core/model/unrelated_clocks.h"
#include "core/project/codec/checked_values.h"
#include "core/project/project_limits.h"
#include "core/project/read/file_clocks.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <locale>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace core {

namespace {

    constexpr double MaxDriftPpm = 1e4;

    std::string textProperty(Database &db, std::string_view key)
    {
        Statement select(db, "SELECT value FROM property WHERE key = ?");
        select.bindAll(key);
        return select.step() ? select.text(0) : std::string();
    }

    std::uint64_t numberProperty(Database &db, std::string_view key)
    {
        Statement select(db, "SELECT value FROM property WHERE key = ?");
        select.bindAll(key);
        return select.step() ? select.natural(0) : 0;
    }

    template <class Value>
    void setProperty(Database &db, std::string_view key, const Value &value)
    {
        Statement(db, "REPLACE INTO property VALUES (?, ?)").bindAll(key, value).run();
    }

    void setOrRemove(Database &db, std::string_view key, const std::string &text)
    {
        if (!text.empty())
            setProperty(db, key, std::string_view(text));
        else
            Statement(db, "DELETE FROM property WHERE key = ?").bindAll(key).run();
    }

    /// Which are not whole: workers whose recording breaks off inside of their last iteration, and
    /// of others the iteration's number behind the worker: "0 3 4:17".
    constexpr std::string_view BrokenOffKey = "iterations.broken_off";

    std::string brokenOffText(std::span<const Iteration> iterations)
    {
        std::string text;
        for (std::size_t i = 0; i < iterations.size(); ++i) {
            const Iteration &one = iterations[i];
            if (one.isWhole)
                continue;
            text += (text.empty() ? "" : " ") + std::to_string(one.worker.value);
            if (i + 1 < iterations.size() && iterations[i + 1].worker == one.worker)
                text += ":" + std::to_string(one.index);
        }
        return text;
    }

    /// iterations: by worker and time. text: as brokenOffText() gives it.
    void markBrokenOff(std::vector<Iteration> &iterations, const std::string &text)
    {
        std::istringstream words(text);
        const std::set<std::string> brokenOff { std::istream_iterator<std::string>(words), {} };
        if (brokenOff.empty())
            return;
        for (std::size_t i = 0; i < iterations.size(); ++i) {
            const bool isLast
                = i + 1 == iterations.size() || iterations[i + 1].worker != iterations[i].worker;
            const std::string worker = std::to_string(iterations[i].worker.value);
            if (brokenOff.contains(isLast ? worker
                                          : worker + ":" + std::to_string(iterations[i].index)))
                iterations[i].isWhole = false;
        }
    }

    /// Of drifts that are bounded: worker, lowest and highest, in ppm: "1 -3.5 20.1 4 0 7".
    constexpr std::string_view DriftRangesKey = "alignment.drift_ranges";
    /// Entering worker, leaving worker, nanoseconds, of each: "1 0 5300".
    constexpr std::string_view ContradictionsKey = "alignment.contradictions";

    std::string driftRangesText(const std::vector<Alignment> &clocks)
    {
        std::ostringstream text;
        text.imbue(std::locale::classic());
        text.precision(std::numeric_limits<double>::max_digits10);
        for (const Alignment &clock : clocks)
            if (clock.driftRange)
                text << clock.worker.value << ' ' << clock.driftRange->leastPpm << ' '
                     << clock.driftRange->mostPpm << ' ';
        return text.str();
    }

    void readDriftRanges(Database &db, const std::string &text, std::vector<Alignment> &clocks)
    {
        std::istringstream words(text);
        words.imbue(std::locale::classic());
        std::size_t worker = 0;
        DriftRange range;
        while (words >> worker >> range.leastPpm >> range.mostPpm) {
            if (worker >= clocks.size() || range.leastPpm > range.mostPpm
                || range.leastPpm < -MaxDriftPpm || range.mostPpm > MaxDriftPpm)
                db.failDamaged("an impossible clock drift");
            clocks[worker].driftRange = range;
        }
    }

    std::string contradictionsText(const std::vector<ClockContradiction> &contradictions)
    {
        std::string text;
        for (const ClockContradiction &one : contradictions)
            text += std::to_string(one.entering.value) + ' ' + std::to_string(one.leaving.value)
                + ' ' + std::to_string(one.byNs) + ' ';
        return text;
    }

    std::vector<ClockContradiction> contradictionsOf(Database &db, const std::string &text,
                                                     std::size_t workers)
    {
        std::vector<ClockContradiction> contradictions;
        std::istringstream words(text);
        std::uint32_t entering = 0, leaving = 0;
        std::int64_t byNs = 0;
        while (words >> entering >> leaving >> byNs) {
            if (entering >= workers || leaving >= workers)
                db.failDamaged("a rank that is not there");
            contradictions.push_back({ WorkerId(entering), WorkerId(leaving), byNs });
        }
        return contradictions;
    }

    void checkClock(Database &db, const Alignment &a)
    {
        const bool isSane = a.offsetNs >= -MaxDurationNs && a.offsetNs <= MaxDurationNs
            && a.driftPpm >= -MaxDriftPpm && a.driftPpm <= MaxDriftPpm && a.residualNs >= 0
            && a.residualNs <= MaxDurationNs && a.uncertaintyNs >= 0
            && a.uncertaintyNs <= MaxDurationNs;
        if (!isSane)
            db.failDamaged("an impossible clock offset");
    }

    /// Clocks that fit nothing may be further off than a project can say.
    std::int64_t possibleNs(std::int64_t ns)
    {
        return std::min(ns, MaxDurationNs);
    }

    Alignment readAlignmentRow(Database &db, const Statement &row, WorkerId worker)
    {
        Alignment a;
        a.worker = worker;
        a.offsetNs = row.integer(1);
        a.driftPpm = row.real(2);
        a.driftFromNs = checkedTime(db, row, 3);
        a.residualNs = row.integer(4);
        a.isReference = row.integer(5) != 0;
        a.isKnown = row.integer(6) != 0;
        a.uncertaintyNs = row.integer(7);
        a.isAsRecorded = row.integer(8) != 0;
        checkClock(db, a);
        return a;
    }

} // namespace

void insertStatedIterations(Database &db, FileId file, std::span<const Iteration> iterations)
{
    Statement insert(db, "INSERT INTO iteration VALUES (?, ?, ?, ?, 1, ?)");
    for (const Iteration &iteration : iterations)
        insert
            .bindAll(std::int64_t(iteration.worker.value), iteration.index, iteration.range.startNs,
                     iteration.range.endNs, std::int64_t(file.value))
            .run();
}

bool hasStatedIterations(Database &db, WorkerId worker)
{
    Statement select(db, "SELECT 1 FROM iteration WHERE worker = ? AND is_stated");
    return select.bindAll(std::int64_t(worker.value)).step();
}

void replaceFoundIterations(Database &db, std::span<const Iteration> iterations)
{
    Transaction transaction(db);
    db.execute("DELETE FROM iteration WHERE NOT is_stated");
    Statement insert(db, "INSERT INTO iteration VALUES (?, ?, ?, ?, 0, NULL)");
    for (const Iteration &iteration : iterations)
        if (!iteration.isStated)
            insert
                .bindAll(std::int64_t(iteration.worker.value), iteration.index,
                         iteration.range.startNs, iteration.range.endNs)
                .run();
    setOrRemove(db, BrokenOffKey, brokenOffText(iterations));
    transaction.commit();
}

void replaceAlignment(Database &db, const AlignmentReport &solved)
{
    Transaction transaction(db);
    db.execute("DELETE FROM alignment");
    Statement insert(db, "INSERT INTO alignment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Alignment &a : solved.workers)
        insert
            .bindAll(std::int64_t(a.worker.value), a.offsetNs, a.driftPpm, a.driftFromNs,
                     possibleNs(a.residualNs), int(a.isReference), int(a.isKnown),
                     possibleNs(a.uncertaintyNs), int(a.isAsRecorded))
            .run();
    setProperty(db, "alignment.violations_before", solved.violationsBefore);
    setProperty(db, "alignment.violations_after", solved.violationsAfter);
    setProperty(db, "alignment.method", std::string_view(solved.method));
    setProperty(db, "alignment.status", std::string_view(solved.status));
    setOrRemove(db, DriftRangesKey, driftRangesText(solved.workers));
    setOrRemove(db, ContradictionsKey, contradictionsText(solved.contradictions));
    transaction.commit();
}

std::vector<Iteration> readIterations(Database &db, std::size_t workerCount,
                                      std::span<const FileClock> clocks)
{
    std::vector<Iteration> iterations;
    Statement select(db,
                     "SELECT worker, number, raw_start_ns, raw_end_ns, is_stated, "
                     "coalesce(source_file, 0) FROM iteration ORDER BY worker, raw_start_ns");
    while (select.step()) {
        const auto worker = checkedId<WorkerId>(db, select, 0, workerCount);
        const FileClock &clock
            = clockOf(clocks, worker, checkedId<FileId>(db, select, 5, MostFileIds));
        iterations.push_back({ worker, select.integer(1),
                               rankRange(db, clock, checkedRange(db, select, 2)),
                               select.integer(4) != 0 });
    }
    markBrokenOff(iterations, textProperty(db, BrokenOffKey));
    return iterations;
}

AlignmentReport readSolvedAlignment(Database &db, std::span<const Worker> workers,
                                    std::span<const Track> tracks)
{
    AlignmentReport report;
    Statement select(db,
                     "SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns, "
                     "is_reference, is_known, uncertainty_ns, is_as_recorded FROM alignment "
                     "ORDER BY worker");
    while (select.step()) {
        // Workers appended since the last alignment have none yet.
        report.workers.resize(workers.size());
        const auto worker = checkedId<WorkerId>(db, select, 0, workers.size());
        report.workers[worker.value] = readAlignmentRow(db, select, worker);
    }
    for (std::uint32_t i = 0; i < report.workers.size(); ++i)
        report.workers[i].worker = WorkerId(i);
    report.violationsBefore = numberProperty(db, "alignment.violations_before");
    report.violationsAfter = numberProperty(db, "alignment.violations_after");
    report.method = textProperty(db, "alignment.method");
    report.status = textProperty(db, "alignment.status");
    if (report.workers.empty())
        return report;
    readDriftRanges(db, textProperty(db, DriftRangesKey), report.workers);
    report.contradictions
        = contradictionsOf(db, textProperty(db, ContradictionsKey), workers.size());
    placeUnrelatedClocks(tracks, report);
    tellPlacedClocks(workers, report);
    return report;
}

void replaceClocksByHand(Database &db, const ClocksByHand &byHand, const AlignmentReport &used)
{
    Transaction transaction(db);
    db.execute("DELETE FROM alignment_by_hand;"
               "DELETE FROM property WHERE key GLOB 'alignment.by_hand_*'");
    Statement insert(db, "INSERT INTO alignment_by_hand VALUES (?, ?, ?, ?, ?)");
    for (const Alignment &a : byHand)
        insert
            .bindAll(std::int64_t(a.worker.value), a.offsetNs, a.driftPpm, a.driftFromNs,
                     possibleNs(used.workers[a.worker.value].residualNs))
            .run();
    if (!byHand.empty()) {
        setProperty(db, "alignment.by_hand_violations_after", used.violationsAfter);
        setProperty(db, "alignment.by_hand_status", std::string_view(used.status));
    }
    transaction.commit();
}

ClocksByHand readClocksByHand(Database &db, std::size_t workerCount)
{
    ClocksByHand clocks;
    Statement select(db,
                     "SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns "
                     "FROM alignment_by_hand ORDER BY worker");
    while (select.step()) {
        Alignment &a = clocks.emplace_back();
        a.worker = checkedId<WorkerId>(db, select, 0, workerCount);
        a.offsetNs = select.integer(1);
        a.driftPpm = select.real(2);
        a.driftFromNs = checkedTime(db, select, 3);
        a.residualNs = select.integer(4);
        a.isKnown = true;
        checkClock(db, a);
    }
    return clocks;
}

AlignmentReport readAlignment(Database &db, std::span<const Worker> workers,
                              std::span<const Track> tracks)
{
    AlignmentReport report = readSolvedAlignment(db, workers, tracks);
    const ClocksByHand byHand = readClocksByHand(db, workers.size());
    if (report.workers.empty() || byHand.empty())
        return report;
    for (const Alignment &clock : byHand) {
        if (report.workers[clock.worker.value].isReference)
            db.failDamaged("the reference clock is set by hand");
        Alignment &used = report.workers[clock.worker.value];
        const Alignment solved = std::exchange(used, clock);
        if (solved.driftPpm == clock.driftPpm)
            used.driftRange = solved.driftRange;
    }
    report.violationsAfter = numberProperty(db, "alignment.by_hand_violations_after");
    report.status = textProperty(db, "alignment.by_hand_status");
    tellPlacedClocks(workers, report);
    return report;
}

} // namespace core
