#include "core/base/error.h"
#include "core/change/change.h"
#include "core/change/change_text.h"

#include <QTest>

using namespace core;

class TestSettings : public QObject
{
    Q_OBJECT

private slots:
    void wordsBecomeSettings();
    void wrongWordsAreRefused_data();
    void wrongWordsAreRefused();
};

void TestSettings::wordsBecomeSettings()
{
    const Strategy settings = parseStrategy({ "bucket_cap_mb=5", "bandwidth_scale=2.5" });
    QCOMPARE(settings.number("bucket_cap_mb").value(), 5.0);
    QCOMPARE(settings.number("bandwidth_scale").value(), 2.5);
    QVERIFY(!settings.has("first_bucket_mb") && !settings.has("bandwidth_mbit"));
    const std::vector<std::pair<std::string, std::string>> expected {
        { "bucket_cap_mb", "5" }, { "bandwidth_scale", "2.5" }
    };
    QVERIFY(settings.list() == expected);
    QVERIFY(parseStrategy({}).isEmpty());
    const Strategy ofRanks
        = parseStrategy({ "compute_scale:3=1.5", "bandwidth_mbit:0=200", "collective=ps:4" });
    QCOMPARE(ofRanks.ofRanks("compute_scale").front()->ranks, std::vector<int> { 3 });
    const std::vector<std::pair<std::string, std::string>> listed { { "compute_scale:3", "1.5" },
                                                                    { "bandwidth_mbit:0", "200" },
                                                                    { "collective", "ps:4" } };
    QVERIFY(ofRanks.list() == listed);
    const Strategy ofGroups = parseStrategy({ "comm_scale:4,0-2=0.5", "comm_scale=2" });
    QCOMPARE(ofGroups.ofRanks("comm_scale").front()->ranks, (std::vector<int> { 0, 1, 2, 4 }));
    const std::vector<std::pair<std::string, std::string>> listedGroups {
        { "comm_scale:0-2,4", "0.5" }, { "comm_scale", "2" }
    };
    QVERIFY(ofGroups.list() == listedGroups);
    // Not as 1e+11.
    const std::vector<std::pair<std::string, std::string>> large { { "fusion_threshold_bytes",
                                                                     "100000000000" } };
    QVERIFY(parseStrategy({ "fusion_threshold_bytes=1e11" }).list() == large);
}

void TestSettings::wrongWordsAreRefused_data()
{
    QTest::addColumn<QByteArrayList>("words");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("no equals sign")
        << QByteArrayList { "bucket_cap_mb" } << QByteArray("KEY=VALUE");
    QTest::newRow("unknown key") << QByteArrayList { "bucket=5" } << QByteArray("bucket_cap_mb");
    QTest::newRow("not a number") << QByteArrayList { "bucket_cap_mb=five" }
                                  << QByteArray("takes a number");
    QTest::newRow("trailing text")
        << QByteArrayList { "bucket_cap_mb=5MB" } << QByteArray("takes a number");
    QTest::newRow("empty") << QByteArrayList { "bandwidth_scale=" } << QByteArray("takes a number");
    QTest::newRow("negative") << QByteArrayList { "bandwidth_mbit=-1" }
                              << QByteArray("takes a number");
    QTest::newRow("infinite") << QByteArrayList { "bandwidth_mbit=inf" }
                              << QByteArray("takes a number");
    QTest::newRow("a rank that a smaller job does not have")
        << QByteArrayList { "compute_scale:2=2", "world_size=2" }
        << QByteArray("with world_size=2 there is no such rank");
    QTest::newRow("ranks that a smaller job does not have")
        << QByteArrayList { "world_size=4", "comm_scale:2-5=0.5" } << QByteArray("rank 4");
    QTest::newRow("half a rank") << QByteArrayList { "world_size=2.5" } << QByteArray("whole");
    QTest::newRow("more ranks than any job has")
        << QByteArrayList { "world_size=1000000" }
        << QByteArray("from 1 to 131072 (ranks). No job is known that has more.");
    QTest::newRow("no rank") << QByteArrayList { "compute_scale:=2" } << QByteArray("rank");
    QTest::newRow("ranks where one is meant")
        << QByteArrayList { "bandwidth_mbit:0,1=100" } << QByteArray("Give it once for each rank");
    QTest::newRow("one rank twice") << QByteArrayList { "compute_scale:1=2", "compute_scale:01=3" }
                                    << QByteArray("given twice");
    QTest::newRow("neither on nor off")
        << QByteArrayList { "expand=2" } << QByteArray("expand is 0 or 1.");
    QTest::newRow("one rank is no group")
        << QByteArrayList { "comm_scale:3=2" } << QByteArray("two or more");
    QTest::newRow("a rank twice") << QByteArrayList { "comm_scale:0-3,2=2" }
                                  << QByteArray("two or more");
    QTest::newRow("descending ranks")
        << QByteArrayList { "comm_scale:3-0=2" } << QByteArray("two or more");
    QTest::newRow("more ranks than a job has")
        << QByteArrayList { "comm_scale:0-1000000=2" } << QByteArray("two or more");
    QTest::newRow("the largest rank, from which counting on would overflow")
        << QByteArrayList { "comm_scale:0,2147483647=2" } << QByteArray("two or more");
    QTest::newRow("a group twice")
        << QByteArrayList { "comm_scale:0,1=2", "comm_scale:0-1=2" } << QByteArray("twice");
    QTest::newRow("not of a rank")
        << QByteArrayList { "batch_scale:1=2" } << QByteArray("batch_scale is of all ranks");
    QTest::newRow("mistyped") << QByteArrayList { "shedule=p3" }
                              << QByteArray(
                                     "did you mean schedule? 'longpole replay --help' lists");
    QTest::newRow("no key at all")
        << QByteArrayList { "xyz=3" } << QByteArray("Unknown setting 'xyz'. 'longpole replay");
    QTest::newRow("no algorithm") << QByteArrayList { "collective=star" } << QByteArray("ps:N");
    QTest::newRow("no servers") << QByteArrayList { "collective=ps:0" } << QByteArray("ps:N");
    QTest::newRow("chunks of ranks that are not there")
        << QByteArrayList { "expand=1", "world_size=8" } << QByteArray("leave world_size away");
    QTest::newRow("twice") << QByteArrayList { "bandwidth_mbit=1", "bandwidth_mbit=2" }
                           << QByteArray("given twice");
    QTest::newRow("contradiction")
        << QByteArrayList { "bandwidth_mbit=1", "bandwidth_scale=2" } << QByteArray("contradict");
}

void TestSettings::wrongWordsAreRefused()
{
    QFETCH(QByteArrayList, words);
    QFETCH(QByteArray, message);
    std::vector<std::string> list;
    for (const QByteArray &word : words)
        list.push_back(word.toStdString());
    try {
        parseStrategy(list);
        QFAIL("was accepted");
    } catch (const UsageError &error) {
        QVERIFY2(QByteArray(error.what()).contains(message), error.what());
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSettings)
#include "tst_settings.moc"
