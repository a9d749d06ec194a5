#include "core/export/chrome_trace.h"
#include "core/model/unrelated_clocks.h"
#include "core/sqlite/database.h"
#include "small_bundle.h"

#include <QTest>

#include <sstream>

using namespace core;
using namespace tests;

namespace {

constexpr std::int64_t Millisecond = 1'000'000;

/// Two steps of 50 ms without a collective.
std::string traceFrom(int rank, const std::string &firstUs)
{
    return R"({"schemaVersion": 1, "distributedInfo": {"backend": "gloo", "rank": )"
        + std::to_string(rank) + R"(}, "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 2,
         "ts": )"
        + firstUs + R"(00000, "dur": 50000},
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 2,
         "ts": )"
        + firstUs + R"(50000, "dur": 50000}]})";
}

QString cell(const ProjectReader &reader, const char *sql)
{
    return QString::fromStdString(reader.query(sql, 1, {}).rows.at(0).at(0).value_or("NULL"));
}

/// What rank 1, whose clock counts from a boot, is drawn and listed as beside rank 0.
void checkIsPlaced(const std::filesystem::path &project)
{
    const ProjectReader reader(project);
    const ProjectInfo &info = reader.info();
    QCOMPARE(info.alignedRange.durationNs(), 100 * Millisecond);
    QVERIFY(isPlaced(info.alignment.workers[1]) && isPlaced(info.solvedAlignment.workers[1]));
    QCOMPARE(placedClockText(info.workers, info.alignment, WorkerId(1)),
             std::string("not aligned: no common clock with rank 0"));
    QVERIFY(info.alignment.status.ends_with("no measured offset: rank 1."));
    QCOMPARE(cell(reader, "SELECT max(start_ns) - min(start_ns) FROM slice"),
             QStringLiteral("50000000"));
    QCOMPARE(cell(reader, "SELECT min(raw_start_ns) FROM slice WHERE rank = 1"),
             QStringLiteral("700000000000"));
}

} // namespace

class UnrelatedRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_bundle.write("rank0.json", traceFrom(0, "17000000000"));
        m_bundle.write("rank1.json", traceFrom(1, "7000"));
        m_bundle.import();
    }

    void ranksWithoutACommonClockLieSideBySide()
    {
        checkIsPlaced(m_bundle.project());
        const ProjectReader reader(m_bundle.project());
        QCOMPARE(cell(reader, "SELECT max(start_ns) - min(start_ns) FROM step"),
                 QStringLiteral("50000000"));
    }

    void theExportMarksThem()
    {
        const auto file = m_bundle.project().parent_path() / "out.json";
        exportMeasured(ProjectReader(m_bundle.project()), file, {});
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        QVERIFY(text.str().find("\"rank 1 (not aligned: no common clock with rank 0)\"")
                != std::string::npos);
        QVERIFY(text.str().find("\"rank 0\"}") != std::string::npos);
        // The last of the steps begins 50 ms after the first, on both.
        QVERIFY(text.str().find("\"ts\":50000.000,\"dur\":50000.000") != std::string::npos);
    }

    void theyAreShownSoBeforeTheirClocksAreSolved()
    {
        Database(m_bundle.project(), OpenMode::ReadWrite)
            .execute("UPDATE alignment SET offset_ns = 0;"
                     "UPDATE property SET value = '' WHERE key = 'alignment.status'");
        checkIsPlaced(m_bundle.project());
    }

private:
    SmallBundle m_bundle;
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(UnrelatedRanksTest)
#include "tst_unrelated_ranks.moc"
