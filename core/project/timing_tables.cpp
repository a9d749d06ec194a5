#include "core/project/timing_tables.h"

#include "core/project/checked_values.h"
#include "core/project/project_limits.h"

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
        const bool isSane = a.offsetNs >= -MaxDurationNs && a.offsetNs <= MaxDurationNs
            && a.driftPpm >= -MaxDriftPpm && a.driftPpm <= MaxDriftPpm && a.residualNs >= 0
            && a.uncertaintyNs >= 0;
        if (!isSane)
            db.failDamaged("an impossible clock offset");
        return a;
    }

} // namespace

void insertIterations(Database &db, std::span<const Iteration> iterations)
{
    Statement insert(db, "INSERT INTO iteration VALUES (?, ?, ?, ?, ?)");
    for (const Iteration &iteration : iterations)
        insert
            .bindAll(std::int64_t(iteration.worker.value), iteration.index, iteration.range.startNs,
                     iteration.range.endNs, int(iteration.isStated))
            .run();
}

bool hasStatedIterations(Database &db, WorkerId worker)
{
    Statement select(db, "SELECT 1 FROM iteration WHERE worker = ? AND is_stated");
    return select.bindAll(std::int64_t(worker.value)).step();
}

void replaceIterations(Database &db, std::span<const Iteration> iterations)
{
    Transaction transaction(db);
    db.execute("DELETE FROM iteration");
    insertIterations(db, iterations);
    transaction.commit();
}

void replaceAlignment(Database &db, const AlignmentReport &report)
{
    Transaction transaction(db);
    db.execute("DELETE FROM alignment");
    Statement insert(db, "INSERT INTO alignment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const Alignment &a : report.workers)
        insert
            .bindAll(std::int64_t(a.worker.value), a.offsetNs, a.driftPpm, a.driftFromNs,
                     a.residualNs, int(a.isReference), int(a.isKnown), a.uncertaintyNs,
                     int(a.isAsRecorded))
            .run();
    setProperty(db, "alignment.violations_before", report.violationsBefore);
    setProperty(db, "alignment.violations_after", report.violationsAfter);
    setProperty(db, "alignment.method", std::string_view(report.method));
    setProperty(db, "alignment.status", std::string_view(report.status));
    transaction.commit();
}

std::vector<Iteration> readIterations(Database &db, std::size_t workerCount)
{
    std::vector<Iteration> iterations;
    Statement select(db,
                     "SELECT worker, number, raw_start_ns, raw_end_ns, is_stated FROM iteration "
                     "ORDER BY worker, raw_start_ns");
    while (select.step())
        iterations.push_back({ checkedId<WorkerId>(db, select, 0, workerCount), select.integer(1),
                               checkedRange(db, select, 2), select.integer(4) != 0 });
    return iterations;
}

AlignmentReport readAlignment(Database &db, std::size_t workerCount)
{
    AlignmentReport report;
    Statement select(db,
                     "SELECT worker, offset_ns, drift_ppm, drift_from_ns, residual_ns, "
                     "is_reference, is_known, uncertainty_ns, is_as_recorded FROM alignment "
                     "ORDER BY worker");
    while (select.step()) {
        // Workers appended since the last alignment have none yet.
        report.workers.resize(workerCount);
        const auto worker = checkedId<WorkerId>(db, select, 0, workerCount);
        report.workers[worker.value] = readAlignmentRow(db, select, worker);
    }
    for (std::uint32_t i = 0; i < report.workers.size(); ++i)
        report.workers[i].worker = WorkerId(i);
    report.violationsBefore = numberProperty(db, "alignment.violations_before");
    report.violationsAfter = numberProperty(db, "alignment.violations_after");
    report.method = textProperty(db, "alignment.method");
    report.status = textProperty(db, "alignment.status");
    return report;
}

} // namespace core
