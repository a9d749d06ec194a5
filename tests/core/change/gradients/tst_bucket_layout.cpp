#include "core/change/gradients/bucket_layout.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace core;

class TestBucketLayout : public QObject
{
    Q_OBJECT

private slots:
    void aBucketClosesWhenItsLimitIsReached_data();
    void aBucketClosesWhenItsLimitIsReached();
    void recordedLayoutsAreReproduced();
};

void TestBucketLayout::aBucketClosesWhenItsLimitIsReached_data()
{
    using Sizes = QList<quint64>;
    QTest::addColumn<Sizes>("parameters");
    QTest::addColumn<quint64>("first");
    QTest::addColumn<quint64>("cap");
    QTest::addColumn<Sizes>("layout");
    QTest::newRow("nothing") << Sizes {} << quint64 { 1 } << quint64 { 1 } << Sizes {};
    QTest::newRow("the parameter that reaches the limit is in")
        << Sizes { 3, 4, 5 } << quint64 { 7 } << quint64 { 100 } << Sizes { 2, 1 };
    QTest::newRow("first limit, then cap")
        << Sizes { 1, 2, 2, 2, 2 } << quint64 { 1 } << quint64 { 4 } << Sizes { 1, 2, 2 };
    QTest::newRow("one parameter larger than the cap")
        << Sizes { 1, 50, 1 } << quint64 { 1 } << quint64 { 4 } << Sizes { 1, 1, 1 };
    QTest::newRow("the rest is a bucket")
        << Sizes { 5, 1 } << quint64 { 5 } << quint64 { 9 } << Sizes { 1, 1 };
}

void TestBucketLayout::aBucketClosesWhenItsLimitIsReached()
{
    QFETCH(QList<quint64>, parameters);
    QFETCH(quint64, first);
    QFETCH(quint64, cap);
    QFETCH(QList<quint64>, layout);
    QList<quint64> counts;
    for (const std::size_t count :
         bucketLayout({ parameters.begin(), parameters.end() }, first, cap))
        counts.append(count);
    QCOMPARE(counts, layout);
}

/// What DDP really built, from every all-reduce bundle of the test bed.
void TestBucketLayout::recordedLayoutsAreReproduced()
{
    const auto shared = tests::sharedData();
    if (!shared)
        QSKIP("shared data is not here");
    int checked = 0;
    for (const auto &entry : std::filesystem::directory_iterator(*shared / "data" / "testbed")) {
        std::ifstream file(entry.path() / "meta.json");
        const auto meta = nlohmann::json::parse(file, nullptr, false);
        if (!meta.is_object() || !meta.contains("buckets") || !meta.contains("bucket_cap_mb"))
            continue;
        std::vector<std::uint64_t> parameters;
        std::vector<std::size_t> recorded;
        for (const auto &bucket : meta["buckets"]) {
            for (const auto &parameter : bucket["parameters"])
                parameters.push_back(parameter["bytes"].get<std::uint64_t>());
            recorded.push_back(bucket["parameters"].size());
        }
        const auto cap
            = static_cast<std::uint64_t>(meta["bucket_cap_mb"].get<double>() * BytesPerMb);
        QVERIFY2(bucketLayout(parameters, static_cast<std::uint64_t>(BytesPerMb), cap) == recorded,
                 entry.path().c_str());
        ++checked;
    }
    QVERIFY(checked > 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestBucketLayout)
#include "tst_bucket_layout.moc"
