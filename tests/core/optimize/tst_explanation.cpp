#include "core/optimize/explanation.h"

#include <QTest>

using namespace core;

class ExplanationTest : public QObject
{
    Q_OBJECT

private slots:
    void aSplitSaysHowMuchEarlier();
    void aMergeSaysWhatItSavesAndCosts();
    void aShiftIsBoth();
    void timesThatAreNotKnownAreNotTold();
    void manySizesAreCutShort();

private:
    static constexpr std::uint64_t MiB = 1024 * 1024;
    /// Four gradients of 1, 2, 3 and 4 MiB, ready every 10 ms.
    const std::vector<std::uint64_t> m_bytes { MiB, 2 * MiB, 3 * MiB, 4 * MiB };
    const std::vector<double> m_readyNs { 0, 10e6, 20e6, 30e6 };
};

void ExplanationTest::aSplitSaysHowMuchEarlier()
{
    const auto lines = bucketDifferences(m_bytes, m_readyNs, 1e6, { 4 }, { 2, 2 });
    const std::vector<std::string> wanted {
        "2 buckets of 3 MiB and 7 MiB instead of 1 bucket of 10 MiB.",
        "Bucket 1 is split: 3 MiB of it can be sent 20.00 ms earlier."
    };
    QVERIFY(lines == wanted);
}

void ExplanationTest::aMergeSaysWhatItSavesAndCosts()
{
    const auto lines = bucketDifferences(m_bytes, m_readyNs, 1e6, { 1, 1, 2 }, { 4 });
    const std::vector<std::string> wanted {
        "1 bucket of 10 MiB instead of 3 buckets of 1 MiB, 2 MiB and 7 MiB.",
        "Buckets 1 to 3 meet in one of 10 MiB: 2.000 ms latency less, but the first waits 30.00 ms "
        "for the last."
    };
    QVERIFY(lines == wanted);
}

void ExplanationTest::aShiftIsBoth()
{
    const auto lines = bucketDifferences(m_bytes, m_readyNs, 1e6, { 2, 2 }, { 1, 3 });
    QCOMPARE(lines.size(), std::size_t { 3 });
    QCOMPARE(lines[1], std::string("Bucket 1 is split: 1 MiB of it can be sent 10.00 ms earlier."));
    QVERIFY(lines[2].starts_with("Buckets 1 and 2 meet in one of 9 MiB"));
}

void ExplanationTest::timesThatAreNotKnownAreNotTold()
{
    for (const std::string &line : bucketDifferences(m_bytes, {}, 0, { 2, 2 }, { 1, 3 }))
        QVERIFY(line.find("ms") == std::string::npos);
}

void ExplanationTest::manySizesAreCutShort()
{
    const std::vector<std::uint64_t> bytes(20, MiB);
    const std::vector<std::size_t> each(20, 1);
    const auto lines = bucketDifferences(bytes, {}, 0, { 20 }, each);
    QCOMPARE(lines.size(), std::size_t { 2 }); // a headline, and what becomes of the bucket
    QVERIFY(lines.front().find("...") != std::string::npos);
    QVERIFY(lines[1].starts_with("Bucket 1 is split: 1 MiB of it can be sent before the rest, "));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ExplanationTest)
#include "tst_explanation.moc"
