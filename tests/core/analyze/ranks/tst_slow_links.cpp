#include "core/analyze/diagnosis.h"
#include "core/analyze/iterations.h"
#include "core/analyze/ranks/slow_links.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/job_metadata.h"
#include "core/model/compared_iterations.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <cmath>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// Ranks that compute for 40 ms, all-reduce for 50 ms and update for 10 ms, three times, the second
/// time four fifths of the bytes.
Trace jobOf(int ranks, const std::string &metadata)
{
    std::string text;
    for (int rank = 0; rank < ranks; ++rank) {
        std::string host = "thread main\n", backend = "comm gloo\n";
        for (int i = 0; i < 3; ++i) {
            const auto at = [i](int us) { return " " + std::to_string(i * 100'000 + us) + " "; };
            host += "ProfilerStep#" + std::to_string(i) + at(0) + "100000 user_annotation\n";
            host += "forward" + at(0) + "40000\n";
            const bool isLess = i == 1; // other sizes tell the rate from the latency
            host += "c10d::allreduce_" + at(40'000) + "0\n";
            host += "update" + (isLess ? at(80'000) + "20000\n" : at(90'000) + "10000\n");
            backend += "gloo:all_reduce" + at(40'000)
                + (isLess ? "40000 kind=all_reduce bytes=800000\n"
                          : "50000 kind=all_reduce bytes=1000000\n");
        }
        text += "rank " + std::to_string(rank) + "\n" + host + backend;
    }
    Trace trace = tests::traceFromText(text);
    trace.iterations = detectIterations(trace);
    trace.compared = comparedIterations(trace);
    trace.stated = statedJob({ { "meta.json", metadata } });
    return trace;
}

std::optional<Bottleneck> slowLinkOf(const Trace &trace, std::string &verdict,
                                     const char *kind = "slow-link")
{
    const Diagnosis diagnosis
        = diagnose(trace, std::make_shared<Graph>(measuredGraph(trace, {})), {});
    verdict = diagnosis.verdict;
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks)
        if (bottleneck.kind == kind)
            return bottleneck;
    return {};
}

} // namespace

class SlowLinksTest : public QObject
{
    Q_OBJECT

private slots:
    void ranksWithSlowerLinksAreNamed_data();
    void ranksWithSlowerLinksAreNamed();
    void theGainIsThatOfALinkLikeTheOthers();
    void linksThatAreAlikeAreNoCause();
    void aNetworkBelowItsStatedRateIsNamed();
};

void SlowLinksTest::ranksWithSlowerLinksAreNamed_data()
{
    QTest::addColumn<int>("ranks");
    QTest::addColumn<QByteArray>("rates");
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("comparison");
    QTest::newRow("one of three") << 3 << QByteArray("500, 500, 250")
                                  << QStringLiteral("Rank 2's link")
                                  << QStringLiteral("250 instead of 500 Mbit/s");
    QTest::newRow("one of two") << 2 << QByteArray("200, 500") << QStringLiteral("Rank 0's link")
                                << QStringLiteral("200 instead of 500 Mbit/s");
    QTest::newRow("half of four") << 4 << QByteArray("500, 100, 500, 200")
                                  << QStringLiteral("The links of ranks 1, 3")
                                  << QStringLiteral("down to 100 instead of 500 Mbit/s");
    QTest::newRow("alike") << 3 << QByteArray("500, 480, 500") << QString() << QString();
    QTest::newRow("one is faster") << 3 << QByteArray("500, 1000, 500") << QString() << QString();
    QTest::newRow("not of all ranks") << 3 << QByteArray("500") << QString() << QString();
    QTest::newRow("not stated") << 3 << QByteArray() << QString() << QString();
}

void SlowLinksTest::ranksWithSlowerLinksAreNamed()
{
    QFETCH(const int, ranks);
    QFETCH(const QByteArray, rates);
    QFETCH(const QString, subject);
    QFETCH(const QString, comparison);
    const SlowLinks slow
        = slowLinks(jobOf(ranks, "{\"link_mbit\": [" + rates.toStdString() + "]}"));
    QCOMPARE(slow.ranks.empty(), subject.isEmpty());
    if (subject.isEmpty())
        return;
    QCOMPARE(QString::fromStdString(slow.subject()), subject);
    QCOMPARE(QString::fromStdString(slow.rates()), comparison);
}

/// A job with one slow link was told to use twice the bandwidth everywhere.
void SlowLinksTest::theGainIsThatOfALinkLikeTheOthers()
{
    std::string verdict;
    const auto found = slowLinkOf(jobOf(3, R"({"link_mbit": [500, 500, 250]})"), verdict);
    QVERIFY(found.has_value());
    // The transfer takes 25 ms instead of 50.
    QVERIFY2(std::abs(found->gainNs - 25 * Ms) < Ms / 10, found->title.c_str());
    QVERIFY(found->strategy == (Strategy { { "bandwidth_mbit", 500.0, { 2 } } }));
    QVERIFY2(verdict.starts_with("Rank 2's link is slower than the others', "), verdict.c_str());
    QVERIFY(!found->range.isEmpty());
}

void SlowLinksTest::linksThatAreAlikeAreNoCause()
{
    std::string verdict;
    QVERIFY(!slowLinkOf(jobOf(3, R"({"bandwidth_mbit": 500})"), verdict));
    QVERIFY(!slowLinkOf(jobOf(3, R"({"link_mbit": [500, 500, 500]})"), verdict));
}

void SlowLinksTest::aNetworkBelowItsStatedRateIsNamed()
{
    // 1 MB in 50 ms are 160 Mbit/s.
    std::string verdict;
    const auto found = slowLinkOf(jobOf(2, R"({"bandwidth_mbit": 320})"), verdict, "stated-rate");
    QVERIFY(found.has_value());
    QVERIFY2(found->reason.starts_with("Transfers had 160 of the 320 Mbit/s "),
             found->reason.c_str());
    // TCP's headers: 167 instead of 160.
    const double shareLeft = 160 / TcpPayloadShare / 320;
    QVERIFY2(std::abs(static_cast<double>(found->gainNs) - 50.0 * Ms * (1 - shareLeft)) < Ms / 5.0,
             found->title.c_str());
    QVERIFY2(verdict.starts_with(found->title + found->effect + "24 %"), verdict.c_str());
    QVERIFY(!slowLinkOf(jobOf(2, R"({"bandwidth_mbit": 200})"), verdict, "stated-rate"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SlowLinksTest)
#include "tst_slow_links.moc"
