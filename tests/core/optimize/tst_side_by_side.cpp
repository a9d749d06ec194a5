#include "core/base/error.h"
#include "core/optimize/side_by_side.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <atomic>
#include <cstddef>
#include <numeric>
#include <vector>

using namespace core;

class SideBySideTest : public QObject
{
    Q_OBJECT

private slots:
    void eachIndexIsCalledOnce();
    void nothingToDoEnds();
    void theFirstErrorIsThrown();
    void cancelledItEndsEarly();
};

void SideBySideTest::eachIndexIsCalledOnce()
{
    std::vector<int> calls(1000, 0);
    sideBySide(calls.size(), {}, [&](std::size_t i, const JobControl &) { ++calls[i]; });
    QCOMPARE(calls, std::vector<int>(1000, 1));
}

void SideBySideTest::nothingToDoEnds()
{
    sideBySide(0, {}, [](std::size_t, const JobControl &) { QFAIL("there is nothing to do"); });
}

/// Others are stopped by it, and what they say then does not hide it.
void SideBySideTest::theFirstErrorIsThrown()
{
    for (std::size_t failing = 0; failing < 50; ++failing)
        QVERIFY_THROWS_EXCEPTION(
            Error, sideBySide(50, {}, [failing](std::size_t i, const JobControl &control) {
                if (i == failing)
                    throw Error("it failed");
                throwIfCancelled(control);
            }));
}

void SideBySideTest::cancelledItEndsEarly()
{
    std::atomic<std::size_t> calls { 0 };
    const JobControl cancelled([&calls] { return calls > 10; }, {});
    QVERIFY_THROWS_EXCEPTION(
        Cancelled, sideBySide(1'000'000, cancelled, [&](std::size_t, const JobControl &control) {
            ++calls;
            throwIfCancelled(control);
        }));
    QVERIFY(calls < 1'000'000);
}

LONGPOLE_TEST(SideBySideTest)
#include "tst_side_by_side.moc"
