#include "core/replay/event_queue.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace core;

namespace {

using TimedIndex = std::pair<std::int64_t, std::uint32_t>;

TimedIndex taken(EventQueue &events)
{
    const std::int64_t timeNs = events.nextNs();
    return { timeNs, events.pop().index };
}

std::vector<TimedIndex> allOf(EventQueue &events)
{
    std::vector<TimedIndex> all;
    while (!events.isEmpty())
        all.push_back(taken(events));
    return all;
}

} // namespace

class TestEventQueue : public QObject
{
    Q_OBJECT

private slots:
    void eventsComeInOrderOfTime()
    {
        EventQueue events;
        events.push(30, { 1, EventQueue::What::Ready });
        events.push(10, { 2, EventQueue::What::Ended });
        events.push(20, { 3, EventQueue::What::Device });
        QCOMPARE(events.nextNs(), std::int64_t { 10 });
        QVERIFY(events.pop().what == EventQueue::What::Ended);
        QCOMPARE(allOf(events), (std::vector<TimedIndex> { { 20, 3 }, { 30, 1 } }));
        events.push(5, { 4, EventQueue::What::Ready }); // once all were taken
        QCOMPARE(allOf(events), (std::vector<TimedIndex> { { 5, 4 } }));
    }

    /// Ops that become ready together wait for their device in the order of their ids without being
    /// sorted.
    void whatIsAddedInARowForOneTimeStaysInOrder()
    {
        EventQueue events;
        events.push(7, { 100, EventQueue::What::Ready });
        for (std::uint32_t i = 0; i < 20; ++i)
            events.push(9, { i, EventQueue::What::Ready });
        QCOMPARE(taken(events), (TimedIndex { 7, 100 }));
        for (std::uint32_t i = 0; i < 10; ++i)
            QCOMPARE(taken(events), (TimedIndex { 9, i }));
        events.push(9, { 20, EventQueue::What::Ready }); // while they are taken
        for (std::uint32_t i = 10; i <= 20; ++i)
            QCOMPARE(taken(events), (TimedIndex { 9, i }));
        QVERIFY(events.isEmpty());
    }

    void nothingIsLostOfManyThatComeAndGo()
    {
        std::mt19937 random(20240711);
        EventQueue events;
        std::vector<TimedIndex> added, got;
        std::int64_t nowNs = 0;
        for (std::uint32_t i = 0; i < 5'000; ++i) {
            const std::int64_t timeNs = nowNs + static_cast<std::int64_t>(random() % 4);
            events.push(timeNs, { i, EventQueue::What::Ready });
            added.emplace_back(timeNs, i);
            for (auto n = random() % 3; n > 0 && !events.isEmpty(); --n) {
                got.push_back(taken(events));
                QVERIFY(got.back().first >= nowNs);
                nowNs = got.back().first;
            }
        }
        const std::vector<TimedIndex> rest = allOf(events);
        got.insert(got.end(), rest.begin(), rest.end());
        std::sort(added.begin(), added.end());
        std::sort(got.begin(), got.end());
        QCOMPARE(got, added);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestEventQueue)
#include "tst_event_queue.moc"
