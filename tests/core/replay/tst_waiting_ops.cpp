#include "core/replay/waiting_ops.h"

#include <QTest>

#include <algorithm>
#include <random>
#include <vector>

using namespace core;

namespace {

std::vector<std::uint32_t> takenOf(WaitingOps &waiting)
{
    std::vector<std::uint32_t> ops;
    for (; !waiting.isEmpty(); waiting.pop())
        ops.push_back(waiting.front().op);
    return ops;
}

bool isMoreUrgent(const WaitingOp &a, const WaitingOp &b)
{
    return a.isMoreUrgentThan(b);
}

} // namespace

class TestWaitingOps : public QObject
{
    Q_OBJECT

private slots:
    void opsAreTakenByPriorityTimeAndId()
    {
        WaitingOps waiting;
        for (const WaitingOp &op : std::vector<WaitingOp> {
                 { 0, 1, 10 }, { 0, 2, 20 }, { 0, 4, 20 }, { 0, 3, 20 }, { -1, 5, 30 } })
            waiting.push(op);
        QCOMPARE(waiting.all().size(), std::size_t { 5 });
        QCOMPARE(takenOf(waiting), (std::vector<std::uint32_t> { 5, 1, 2, 3, 4 }));
        waiting.push({ 0, 6, 5 }); // once all were taken
        QCOMPARE(takenOf(waiting), (std::vector<std::uint32_t> { 6 }));
    }

    /// As P3's slices come: those of a later tensor are more urgent.
    void laterTensorsGoFirst()
    {
        WaitingOps waiting;
        std::uint32_t op = 0;
        for (const std::int32_t priority : { 9, 7, 5 })
            for (int slice = 0; slice < 2; ++slice, ++op)
                waiting.push({ priority, op, 10 * op });
        QCOMPARE(waiting.front().op, 4U);
        waiting.pop();
        waiting.push({ 6, op++, 100 }); // between the others
        waiting.push({ 5, op++, 100 });
        waiting.push({ 8, op++, 100 });
        QCOMPARE(waiting.all().size(), std::size_t { 8 });
        QCOMPARE(takenOf(waiting), (std::vector<std::uint32_t> { 5, 7, 6, 2, 3, 8, 0, 1 }));
    }

    void itIsAPriorityQueueOfAnyOps()
    {
        std::mt19937 random(5);
        for (const std::uint32_t priorities : { 1U, 5U }) {
            WaitingOps waiting;
            std::vector<WaitingOp> expected; // sorted
            for (std::uint32_t op = 0; op < 4000; ++op) {
                const WaitingOp next { static_cast<std::int32_t>(random() % priorities), op,
                                       static_cast<std::int64_t>(op / 3 + random() % 4) };
                waiting.push(next);
                expected.insert(
                    std::upper_bound(expected.begin(), expected.end(), next, isMoreUrgent), next);
                while (!expected.empty() && random() % 2 == 0) {
                    QCOMPARE(waiting.front().op, expected.front().op);
                    waiting.pop();
                    expected.erase(expected.begin());
                }
                QCOMPARE(waiting.isEmpty(), expected.empty());
            }
            std::vector<WaitingOp> all = waiting.all();
            std::sort(all.begin(), all.end(), isMoreUrgent);
            QCOMPARE(all.size(), expected.size());
            for (std::size_t i = 0; i < all.size(); ++i)
                QCOMPARE(all[i].op, expected[i].op);
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestWaitingOps)
#include "tst_waiting_ops.moc"
