#include "collectors/format/wake_up.h"
#include "tests/support/settable_clock.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <thread>

using namespace collectors;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::int64_t Millisecond = 1'000'000, Hour = 3600 * 1000 * Millisecond;

/// Sets the system's clock forward and back for as long as it lives.
class JumpingClock
{
public:
    JumpingClock()
        : m_thread([this] {
            for (int i = 0; !m_isOver; ++i) {
                tests::realtimeShiftNs() = i % 2 == 0 ? Hour : -Hour;
                std::this_thread::yield();
            }
        })
    {
    }
    ~JumpingClock()
    {
        m_isOver = true;
        m_thread.join();
        tests::realtimeShiftNs() = 0;
    }
    JumpingClock(const JumpingClock &) = delete;
    JumpingClock &operator=(const JumpingClock &) = delete;

private:
    std::atomic<bool> m_isOver { false };
    std::thread m_thread;
};

} // namespace

class WakeUpTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { tests::realtimeShiftNs() = 0; }

    void theStandInIsTheClockOfTheProcess()
    {
        const auto before = std::chrono::system_clock::now();
        tests::realtimeShiftNs() = Hour;
        QVERIFY(std::chrono::system_clock::now() - before >= std::chrono::hours(1));
        tests::realtimeShiftNs() = -Hour;
        QVERIFY(std::chrono::system_clock::now() < before);
    }

    void allPostsCountOnce()
    {
        WakeUp wake;
        wake.post();
        wake.post();
        QVERIFY(wake.waitFor(0));
        QVERIFY(!wake.waitFor(0));
    }

    void aPostOfAnotherThreadWakes()
    {
        WakeUp wake;
        std::thread poster([&wake] { wake.post(); });
        const bool isAwake = wake.waitFor(Hour);
        poster.join();
        QVERIFY(isAwake);
    }

    /// A thread that waits by the system's clock would spin after it was set forward, and stall
    /// after it was set back.
    void aClockThatIsSetNeitherEndsAWaitNorProlongsIt()
    {
        constexpr Milliseconds Wait(40), Longest(60'000);
        WakeUp wake;
        const JumpingClock jumping;
        for (int i = 0; i < 5; ++i) {
            const auto before = Clock::now();
            QVERIFY(!wake.waitFor(Wait.count() * Millisecond));
            const auto passed = Clock::now() - before;
            QVERIFY(passed >= Wait);
            QVERIFY(passed < Longest);
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(WakeUpTest)
#include "tst_wake_up.moc"
