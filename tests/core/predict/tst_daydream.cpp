#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "core/predict/daydream.h"
#include "core/predict/prediction_base.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;
using tests::traceFromText;

class TestDaydream : public QObject
{
    Q_OBJECT

private slots:
    void bytesOverTheRateFollowTheComputation_data();
    void bytesOverTheRateFollowTheComputation();
    void withoutSizesThereIsNone();
};

namespace {

/// Three iterations of 100 ms on two ranks: 20 ms of computation, then 10 MB on the wire of each
/// rank (an all-reduce of two) in 80 ms, which is 1,000 Mbit/s.
std::string rankText(int rank, const std::string &bytes)
{
    std::string text = "rank " + std::to_string(rank) + "\n";
    std::string ops = "thread main\n", comm = "comm gloo\n";
    for (int i = 0; i < 3; ++i) {
        const int start = i * 100'000;
        text += "iteration " + std::to_string(i) + " " + std::to_string(start) + " 100000\n";
        ops += "aten::mm " + std::to_string(start) + " 20000 phase=backward\n";
        ops += "aten::add " + std::to_string(start + 99'990) + " 10 phase=optimizer\n";
        comm += "gloo:all_reduce " + std::to_string(start + 20'000) + " 79980 kind=all_reduce"
            + bytes + "\n";
    }
    return text + ops + comm;
}

std::optional<std::int64_t> daydreamOf(const std::string &bytes,
                                       const std::vector<std::string> &words)
{
    const Trace trace = traceFromText(rankText(0, bytes) + rankText(1, bytes));
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    return daydreamIterationNs(trace, graph, predictionBase(trace, *graph, {}), {},
                               parseStrategy(words), {});
}

} // namespace

void TestDaydream::bytesOverTheRateFollowTheComputation_data()
{
    QTest::addColumn<std::vector<std::string>>("settings");
    QTest::addColumn<double>("ms");
    using Words = std::vector<std::string>;
    QTest::newRow("as recorded") << Words {} << 100.0;
    QTest::newRow("half the rate") << Words { "bandwidth_scale=0.5" } << 180.0;
    QTest::newRow("stated rate") << Words { "bandwidth_mbit=4000" } << 40.0;
    // A ring of four carries 3/2 of what one of two does.
    QTest::newRow("four ranks") << Words { "world_size=4" } << 140.0;
}

void TestDaydream::bytesOverTheRateFollowTheComputation()
{
    QFETCH(const std::vector<std::string>, settings);
    QFETCH(const double, ms);
    const auto ns = daydreamOf(" bytes=10000000", settings);
    QVERIFY(ns);
    const double found = static_cast<double>(*ns) / 1e6;
    QVERIFY2(std::abs(found - ms) < 0.5, qPrintable(QString::number(found)));
}

void TestDaydream::withoutSizesThereIsNone()
{
    QVERIFY(!daydreamOf("", {}));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDaydream)
#include "tst_daydream.moc"
