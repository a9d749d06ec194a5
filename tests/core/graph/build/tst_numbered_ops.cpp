#include "core/graph/build/numbered_ops.h"

#include <QTest>

#include <limits>
#include <map>
#include <random>

using namespace core;

class TestNumberedOps : public QObject
{
    Q_OBJECT

private slots:
    void nothingHasANumberAtFirst()
    {
        const NumberedOps ops;
        QVERIFY(!ops.find(1));
        QVERIFY(!ops.find(0));
    }

    void theLastOpOfANumberIsFound()
    {
        NumberedOps ops;
        ops.set(7, OpId(1));
        ops.set(std::numeric_limits<std::uint64_t>::max(), OpId(2));
        ops.set(7, OpId(3));
        QCOMPARE(ops.find(7)->value, 3U);
        QCOMPARE(ops.find(std::numeric_limits<std::uint64_t>::max())->value, 2U);
        QVERIFY(!ops.find(8));
        QVERIFY(!ops.find(0));
    }

    void itIsAMapOfAnyNumbers()
    {
        std::mt19937_64 random(3);
        // Dense ones, as Kineto's; multiples of a power of two; any.
        for (const std::uint64_t step : { 1ULL, 1ULL << 40, 0x1234'5678'9ABCULL }) {
            NumberedOps ops;
            std::map<std::uint64_t, OpId> expected;
            for (std::uint32_t op = 0; op < 5000; ++op) {
                const std::uint64_t number = (1 + random() % 3000) * step;
                ops.set(number, OpId(op));
                expected[number] = OpId(op);
            }
            for (std::uint64_t i = 1; i <= 3000; ++i) {
                const auto known = expected.find(i * step);
                const auto found = ops.find(i * step);
                QCOMPARE(found.has_value(), known != expected.end());
                if (found)
                    QCOMPARE(found->value, known->second.value);
            }
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestNumberedOps)
#include "tst_numbered_ops.moc"
