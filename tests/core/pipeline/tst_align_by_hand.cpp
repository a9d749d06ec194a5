#include "core/pipeline/align_by_hand.h"
#include "small_bundle.h"

#include <QTest>

using namespace core;
using tests::SmallBundle;
namespace fs = std::filesystem;

namespace {

const fs::path Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
constexpr std::int64_t Set = -3'757'000;

std::string value(const fs::path &project, const std::string &sql)
{
    return ProjectReader(project).query(sql, 1, {}).rows.at(0).at(0).value_or("NULL");
}

/// Nanoseconds from a rank's raw first slice and step to the aligned ones.
std::string movedInSql(const fs::path &project, int rank)
{
    const std::string of = " WHERE rank = " + std::to_string(rank) + " LIMIT 1)";
    return value(project,
                 "SELECT (SELECT start_ns - raw_start_ns FROM slice" + of
                     + " || ' ' || (SELECT start_ns - raw_start_ns FROM step" + of
                     + " || ' ' || (SELECT is_by_hand FROM clock" + of);
}

QString refusalOf(const fs::path &project, int rank, std::int64_t offsetNs)
{
    try {
        alignByHand(project, { { rank, offsetNs } }, {});
    } catch (const Error &error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

class TestAlignByHand : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void everythingUsesTheOffsetThatIsSet();
    void whatCannotBeIsCounted();
    void whatWasSolvedComesBack();
    void oneRankIsResetAlone();
    void anAppendKeepsWhatIsSet();
    void ofALowerRankThatComesLaterOffsetsStayRelative();
    void whatCannotBeSetIsRefused();
    void aCancelledChangeChangesNothing();

private:
    fs::path project() const { return m_bundle->project(); }

    std::optional<SmallBundle> m_bundle;
};

void TestAlignByHand::init()
{
    m_bundle.emplace();
    importBundle({ Sample }, project(), {}, {});
}

void TestAlignByHand::everythingUsesTheOffsetThatIsSet()
{
    const AlignmentReport solved = ProjectReader(project()).info().alignment;
    QCOMPARE(movedInSql(project(), 1), std::string("0 0 0"));
    alignByHand(project(), { { 1, Set } }, {});
    const ProjectReader reader(project());
    const Alignment &clock = reader.info().alignment.workers[1];
    QCOMPARE(clock.offsetNs, Set);
    QVERIFY(clock.isKnown && !clock.isAsRecorded);
    QVERIFY(isByHand(reader.info().byHand, WorkerId(1)));
    QCOMPARE(reader.info().solvedAlignment.workers[1].offsetNs, solved.workers[1].offsetNs);
    QCOMPARE(movedInSql(project(), 1), std::string("-3757000 -3757000 1"));
    QCOMPARE(movedInSql(project(), 0), std::string("0 0 0"));
    // It is a bad choice, and is called so.
    QVERIFY(clock.residualNs > 3'000'000);
    QVERIFY2(reader.info().alignment.status.starts_with(
                 "Set by hand: rank 1's clock is 3.757 ms ahead."),
             reader.info().alignment.status.c_str());
    const LoadedProject loaded = loadProject(project(), {});
    QCOMPARE(loaded.trace->toAligned(WorkerId(1), 5'000'000), 5'000'000 + Set);
}

void TestAlignByHand::whatCannotBeIsCounted()
{
    alignByHand(project(), { { 1, -10'000'000'000 } }, {});
    const AlignmentReport used = ProjectReader(project()).info().alignment;
    QVERIFY(used.violationsAfter > 0);
    QVERIFY(used.violationsAfter > used.violationsBefore);
}

void TestAlignByHand::whatWasSolvedComesBack()
{
    const AlignmentReport solved = ProjectReader(project()).info().alignment;
    alignByHand(project(), { { 1, Set } }, {});
    alignByHand(project(), { { 1, {} } }, {});
    const ProjectReader reader(project());
    const AlignmentReport &back = reader.info().alignment;
    QVERIFY(reader.info().byHand.empty());
    QCOMPARE(back.workers[1].offsetNs, solved.workers[1].offsetNs);
    QCOMPARE(back.workers[1].uncertaintyNs, solved.workers[1].uncertaintyNs);
    QCOMPARE(back.status, solved.status);
    QCOMPARE(back.violationsAfter, solved.violationsAfter);
    QCOMPARE(value(project(), "SELECT count(*) FROM property WHERE key LIKE '%by_hand%'"),
             std::string("0"));
}

void TestAlignByHand::oneRankIsResetAlone()
{
    fs::remove(project());
    for (const int rank : { 0, 1, 2 })
        m_bundle->write("rank" + std::to_string(rank) + ".json", tests::tinyTrace(rank));
    m_bundle->import();
    alignByHand(project(), { { 1, 10 }, { 2, 20 } }, {});
    alignByHand(project(), { { 1, {} } }, {});
    const ProjectReader reader(project());
    QCOMPARE(reader.info().byHand.size(), 1U);
    QVERIFY(!reader.info().alignment.workers[1].isKnown); // nothing ties it: it is as solved
    QCOMPARE(reader.info().alignment.workers[2].offsetNs, 20);
}

void TestAlignByHand::anAppendKeepsWhatIsSet()
{
    fs::remove(project());
    m_bundle->write("rank0.json", tests::tinyTrace(0));
    m_bundle->write("rank1.json", tests::tinyTrace(1));
    m_bundle->import();
    alignByHand(project(), { { 1, Set } }, {});
    m_bundle->write("rank2.json", tests::tinyTrace(2));
    ImportOptions options;
    options.append = true;
    m_bundle->import(options);
    const ProjectReader reader(project());
    QCOMPARE(reader.info().alignment.workers.size(), 3U);
    QCOMPARE(reader.info().alignment.workers[1].offsetNs, Set);
    QVERIFY(!reader.info().solvedAlignment.workers[1].isKnown);
}

void TestAlignByHand::ofALowerRankThatComesLaterOffsetsStayRelative()
{
    fs::remove(project());
    importBundle({ Sample / "rank1.pt.trace.json.gz" }, project(), {}, {});
    m_bundle->write("rank2.json", tests::tinyTrace(2));
    ImportOptions options;
    options.append = true;
    m_bundle->import(options);
    alignByHand(project(), { { 2, Set } }, {});
    importBundle({ Sample / "rank0.pt.trace.json.gz" }, project(), options, {});
    const ProjectReader reader(project());
    const AlignmentReport &report = reader.info().alignment;
    QVERIFY(report.workers[2].isReference); // rank 0
    QCOMPARE(report.workers[1].offsetNs, report.workers[0].offsetNs + Set); // ranks 2, 1
}

void TestAlignByHand::whatCannotBeSetIsRefused()
{
    QVERIFY(refusalOf(project(), 7, 1).contains(QStringLiteral("has no rank 7")));
    QVERIFY(refusalOf(project(), 0, 1).contains(QStringLiteral("rank 0 is the reference")));
    QVERIFY(refusalOf(project(), 1, std::numeric_limits<std::int64_t>::min())
                .contains(QStringLiteral("73 years")));
    QVERIFY(refusalOf(project().string() + ".none", 1, 1).contains(QStringLiteral("none")));
    QVERIFY(ProjectReader(project()).info().byHand.empty());
}

void TestAlignByHand::aCancelledChangeChangesNothing()
{
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, alignByHand(project(), { { 1, Set } }, cancelled));
    QVERIFY(ProjectReader(project()).info().byHand.empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestAlignByHand)
#include "tst_align_by_hand.moc"
