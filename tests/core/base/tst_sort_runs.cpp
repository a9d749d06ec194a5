#include "core/base/sort_runs.h"

#include <QTest>

#include <random>
#include <utility>
#include <vector>

using namespace core;

namespace {

using Entry = std::pair<int, int>; // key, place before

bool isLess(const Entry &a, const Entry &b)
{
    return a.first < b.first;
}

std::vector<Entry> entriesOf(const std::vector<int> &keys)
{
    std::vector<Entry> entries;
    for (const int key : keys)
        entries.emplace_back(key, static_cast<int>(entries.size()));
    return entries;
}

} // namespace

class TestSortRuns : public QObject
{
    Q_OBJECT

private slots:
    void runsAreMerged_data()
    {
        QTest::addColumn<std::vector<int>>("keys");
        QTest::newRow("nothing") << std::vector<int> {};
        QTest::newRow("one") << std::vector<int> { 3 };
        QTest::newRow("one run") << std::vector<int> { 1, 2, 2, 5 };
        QTest::newRow("two runs") << std::vector<int> { 1, 4, 9, 2, 3, 4 };
        QTest::newRow("three runs") << std::vector<int> { 5, 6, 1, 2, 9, 0, 4 };
        QTest::newRow("descending") << std::vector<int> { 4, 3, 2, 1, 0 };
    }

    void runsAreMerged()
    {
        QFETCH(const std::vector<int>, keys);
        std::vector<Entry> sorted = entriesOf(keys), expected = sorted;
        std::stable_sort(expected.begin(), expected.end(), isLess);
        sortRuns(sorted, isLess);
        QCOMPARE(sorted, expected);
    }

    void itIsAStableSortOfAnything()
    {
        std::mt19937 random(7);
        for (int i = 0; i < 300; ++i) {
            std::vector<int> keys(random() % 60);
            for (int &key : keys)
                key = static_cast<int>(random() % 20);
            std::vector<Entry> sorted = entriesOf(keys), expected = sorted;
            std::stable_sort(expected.begin(), expected.end(), isLess);
            sortRuns(sorted, isLess);
            QCOMPARE(sorted, expected);
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSortRuns)
#include "tst_sort_runs.moc"
