#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/change/transfers/comm_scale.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;

namespace {

constexpr std::int64_t Us = 1000;

/// Three iterations of 100 us: 20 us of work, then an all-reduce between two of four ranks, which
/// takes 40 us between ranks 0 and 1 and 20 us between 2 and 3, then the rest. All sizes are alike,
/// but of those of ranks 2 and 3 where `hasSizes`.
struct TwoPairs
{
    explicit TwoPairs(bool hasSizes = false)
    {
        std::string text;
        for (int rank = 0; rank < 4; ++rank) {
            const int transfer = rank < 2 ? 40 : 20;
            std::string stream = "stream 7 gpu=0\n";
            text += "rank " + std::to_string(rank) + "\n";
            for (int i = 0; i < 3; ++i) {
                const auto at = [i](int us, int durationUs) {
                    return " " + std::to_string(i * 100 + us) + " " + std::to_string(durationUs);
                };
                const bool isLarge = hasSizes && rank >= 2 && i == 1;
                text += "iteration " + std::to_string(i) + at(0, 100) + "\n";
                stream += "forward" + at(0, 20) + "\nncclAllReduce" + at(20, transfer)
                    + " comm_kernel kind=all_reduce seq=" + std::to_string(i) + " bytes="
                    + (isLarge ? "1100" : "1000") + (rank < 2 ? " group=a\n" : " group=b\n")
                    + "update" + at(20 + transfer, 80 - transfer) + "\n";
            }
            text += stream;
        }
        trace = tests::traceFromText(text);
        graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    }

    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(trace, graph, parseStrategy(words), {});
    }
    /// "comm_scale:0,2: ..."; empty where it is not refused.
    QString refusal(const std::vector<std::string> &words) const
    {
        try {
            run(words);
        } catch (const Error &error) {
            return QString::fromStdString(error.what());
        }
        return {};
    }
    std::int64_t rankNs(const std::vector<std::string> &words, std::size_t rank) const
    {
        return run(words).ranks[rank].predictedNs;
    }

    Trace trace;
    std::shared_ptr<const Graph> graph;
};

} // namespace

class CommScaleTest : public QObject
{
    Q_OBJECT

private slots:
    void transfersBetweenJustTheseRanksAreScaled();
    void aGroupsFactorReplacesThatOfAll();
    void transfersThatAreLeftTakeCoresStill();
    void ranksBetweenWhichNothingGoesAreRefused();
    void aRanksBandwidthIsRefusedForItsOwnLinksOnly();
};

void CommScaleTest::transfersBetweenJustTheseRanksAreScaled()
{
    const TwoPairs job;
    QCOMPARE(job.rankNs({}, 0), 100 * Us);
    QCOMPARE(job.rankNs({ "comm_scale:0,1=0.5" }, 0), 80 * Us);
    QCOMPARE(job.rankNs({ "comm_scale:0-1=0.5" }, 2), 100 * Us);
    QCOMPARE(job.rankNs({ "comm_scale:2,3=2" }, 2), 120 * Us);
    QCOMPARE(transferringRanks(*job.graph, job.trace),
             (std::set<std::vector<int>> { { 0, 1 }, { 2, 3 } }));
}

void CommScaleTest::aGroupsFactorReplacesThatOfAll()
{
    const TwoPairs job;
    const std::vector<std::string> words { "comm_scale=0", "comm_scale:0,1=0.25" };
    QCOMPARE(job.rankNs(words, 0), 70 * Us);
    QCOMPARE(job.rankNs(words, 2), 80 * Us);
    QVERIFY(job.run({ "comm_scale:0,1=1" }).noChange->find("comm_scale:0,1=1")
            != std::string::npos);
}

void CommScaleTest::transfersThatAreLeftTakeCoresStill()
{
    const TwoPairs job;
    Graph graph = *job.graph;
    graph.slowdown = 1.5;
    const auto slowdownWith = [&](const std::vector<std::string> &words) {
        return withCommScale(graph, job.trace, core::commScale(parseStrategy(words))).slowdown;
    };
    QCOMPARE(slowdownWith({ "comm_scale=0" }), 1.0);
    QCOMPARE(slowdownWith({ "comm_scale=0", "comm_scale:0,1=0" }), 1.0);
    QCOMPARE(slowdownWith({ "comm_scale=0", "comm_scale:0,1=1" }), 1.5);
    QCOMPARE(slowdownWith({ "comm_scale:0,1=0" }), 1.5);
}

void CommScaleTest::ranksBetweenWhichNothingGoesAreRefused()
{
    const TwoPairs job;
    const QString text = job.refusal({ "comm_scale:0,2=0.5" });
    QVERIFY2(text.contains(QStringLiteral("comm_scale:0,2")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("0,1; 2,3")), qPrintable(text));
}

/// What could not be told of the links of ranks 0 and 1 kept rank 2's from being set.
void CommScaleTest::aRanksBandwidthIsRefusedForItsOwnLinksOnly()
{
    const TwoPairs job(true);
    QVERIFY(!job.refusal({ "bandwidth_mbit:0=1000" }).isEmpty());
    QCOMPARE(job.refusal({ "bandwidth_mbit:2=1000" }), QString());
    QVERIFY(!job.refusal({ "bandwidth_mbit=1000" }).isEmpty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CommScaleTest)
#include "tst_comm_scale.moc"
