#include "core/graph/radix_order.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace core;

namespace {

constexpr std::int64_t Least = std::numeric_limits<std::int64_t>::min(),
                       Most = std::numeric_limits<std::int64_t>::max();

std::vector<std::uint32_t> stableOrder(const std::vector<std::int64_t> &keys)
{
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::uint32_t { 0 });
    std::stable_sort(order.begin(), order.end(),
                     [&keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    return order;
}

} // namespace

class TestRadixOrder : public QObject
{
    Q_OBJECT

private slots:
    void equalKeysKeepTheirOrder_data()
    {
        QTest::addColumn<std::vector<std::int64_t>>("keys");
        QTest::addColumn<std::vector<std::uint32_t>>("order");
        using Keys = std::vector<std::int64_t>;
        using Order = std::vector<std::uint32_t>;
        QTest::newRow("none") << Keys {} << Order {};
        QTest::newRow("one") << Keys { -7 } << Order { 0 };
        QTest::newRow("all equal") << Keys { 5, 5, 5 } << Order { 0, 1, 2 };
        QTest::newRow("sorted") << Keys { -3, 0, 0, 9 } << Order { 0, 1, 2, 3 };
        QTest::newRow("two digits") << Keys { 5000, 1, 5000, 0 } << Order { 3, 1, 0, 2 };
        QTest::newRow("of both signs") << Keys { 1, -1, Most, Least, 0 } << Order { 3, 1, 4, 0, 2 };
    }

    void equalKeysKeepTheirOrder()
    {
        QFETCH(const std::vector<std::int64_t>, keys);
        QFETCH(const std::vector<std::uint32_t>, order);
        QCOMPARE(radixOrder(keys), order);
    }

    void itIsAStableSortOfAnyKeys()
    {
        std::mt19937_64 random(11);
        for (const std::uint64_t span : { 3ULL, 5000ULL, 40'000'000'000ULL, ~0ULL >> 1 })
            for (int i = 0; i < 50; ++i) {
                std::vector<std::int64_t> keys(random() % 200);
                for (std::int64_t &key : keys)
                    key = static_cast<std::int64_t>(random() % span) - 1000;
                QCOMPARE(radixOrder(keys), stableOrder(keys));
            }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRadixOrder)
#include "tst_radix_order.moc"
