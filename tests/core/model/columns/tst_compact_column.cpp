#include "core/model/columns/compact_column.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace core;

class TestCompactColumn : public QObject
{
    Q_OBJECT

private slots:
    void rowsBeforeTheFirstValueAreNone();
    void aLargeValueKeepsTheOthers();
    void aClearedColumnBeginsAnew();
    void itHoldsWhatWasAdded();
};

namespace {

constexpr std::uint64_t LargestNarrow = std::numeric_limits<std::uint32_t>::max();

using Values = std::vector<std::uint64_t>;

Values all(const CompactColumn &column)
{
    return column.values(0, column.size());
}

} // namespace

void TestCompactColumn::rowsBeforeTheFirstValueAreNone()
{
    CompactColumn column;
    QVERIFY(column.empty());
    column.push_back(0);
    column.append(Values { 0, 0 });
    QCOMPARE(all(column), (Values { 0, 0, 0 }));
    column.push_back(LargestNarrow);
    QCOMPARE(all(column), (Values { 0, 0, 0, LargestNarrow }));
    QCOMPARE(column.values(2, 4), (Values { 0, LargestNarrow }));
}

void TestCompactColumn::aLargeValueKeepsTheOthers()
{
    CompactColumn column;
    column.append(Values { 0, 7 });
    column.push_back(LargestNarrow + 1);
    column.append(Values { 3, 0 });
    QCOMPARE(all(column), (Values { 0, 7, LargestNarrow + 1, 3, 0 }));
    CompactColumn ofNone;
    ofNone.append(Values { 0, 0 });
    ofNone.append(Values { ~std::uint64_t { 0 }, 1 });
    QCOMPARE(all(ofNone), (Values { 0, 0, ~std::uint64_t { 0 }, 1 }));
}

void TestCompactColumn::aClearedColumnBeginsAnew()
{
    CompactColumn column;
    column.append(Values { LargestNarrow + 1, 2 });
    column.clear();
    QVERIFY(column.empty());
    column.append(Values { 0, 0 });
    column.push_back(5);
    QCOMPARE(all(column), (Values { 0, 0, 5 }));
}

void TestCompactColumn::itHoldsWhatWasAdded()
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 300; ++i) {
        CompactColumn column;
        column.reserve(random() % 50);
        Values expected;
        const unsigned shift = i % 3 == 0 ? 0 : 33; // wide values, or narrow ones alone
        for (std::uint64_t part = random() % 8; part > 0; --part) {
            Values some(random() % 20);
            for (std::uint64_t &value : some)
                value = random() % 3 == 0 ? random() >> shift : 0;
            if (some.size() == 1)
                column.push_back(some.front());
            else
                column.append(some);
            expected.insert(expected.end(), some.begin(), some.end());
        }
        QCOMPARE(column.size(), expected.size());
        QCOMPARE(all(column), expected);
    }
}

LONGPOLE_TEST(TestCompactColumn)
#include "tst_compact_column.moc"
