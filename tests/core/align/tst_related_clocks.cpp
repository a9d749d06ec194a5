#include "core/align/related_clocks.h"

#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;

/// Collectives that two workers leave together, of which the second's clock is `laterUs` late.
void addCollectives(std::size_t first, std::size_t second, std::int64_t laterUs,
                    ClockEvidence &evidence)
{
    for (const std::int64_t startUs : { 1000, 2000, 5000, 9000, 9500 })
        evidence.collectives.push_back(
            { { { first, startUs * Us, (startUs + 100) * Us },
                { second, (startUs + laterUs) * Us, (startUs + laterUs + 100) * Us } } });
}

} // namespace

class RelatedClocksTest : public QObject
{
    Q_OBJECT

private slots:
    /// Of two more jobs and a pair that nothing brings together: each by itself.
    void groupsHaveNothingToDoWithEachOther()
    {
        ClockEvidence evidence;
        addCollectives(0, 1, 70, evidence); // known: no matter
        addCollectives(2, 3, 300, evidence);
        addCollectives(5, 4, 40, evidence);
        addCollectives(4, 7, 500, evidence);
        addCollectives(6, 8, 900, evidence);
        for (ObservedCollective &collective : evidence.collectives)
            collective.endsTogether = collective.parts.front().worker != 6;
        std::vector<Worker> workers(9);
        AlignmentReport report;
        for (std::uint32_t w = 0; w < workers.size(); ++w) {
            workers[w].id = WorkerId(w);
            workers[w].rank = static_cast<int>(w);
            report.workers.emplace_back().worker = WorkerId(w);
            report.workers.back().isKnown = w == 1;
        }
        report.workers[0].isReference = true;
        const std::vector<std::string> hosts(workers.size());
        relateUnknownClocks(evidence, workers, hosts, report, {});
        std::vector<std::int64_t> offsetsUs;
        for (const Alignment &clock : report.workers)
            offsetsUs.push_back(clock.offsetNs / Us);
        QCOMPARE(offsetsUs, (std::vector<std::int64_t> { 0, 0, 0, -300, 0, 40, 0, -500, 0 }));
        QVERIFY(!report.workers[3].isKnown);
    }

    void whatIsCancelledThrows()
    {
        ClockEvidence evidence;
        addCollectives(1, 2, 300, evidence);
        std::vector<Worker> workers(3);
        AlignmentReport report;
        report.workers.resize(3);
        report.workers[0].isReference = true;
        const JobControl control([] { return true; }, {});
        QVERIFY_THROWS_EXCEPTION(
            Cancelled,
            relateUnknownClocks(evidence, workers, std::vector<std::string>(3), report, control));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RelatedClocksTest)
#include "tst_related_clocks.moc"
