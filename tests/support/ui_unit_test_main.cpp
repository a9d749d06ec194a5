#include "tests/support/unit_test.h"
#include "ui/jobs/watched_application.h"

namespace {

/// A handler that takes this many limits fails. Processor time of one differs by a factor of 2 on a
/// machine that others use, too: with two cores and a load of 13, no handler of the tests took over
/// 35 ms in a release build.
constexpr double FailingLimits = 2;

/// Not under sanitizers: their allocator slows Qt down, too, by a share that handlerTimeFactor()
/// does not know.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool IsTimeMeaningful = false;
#else
constexpr bool IsTimeMeaningful = true;
#endif

void judge(const ui::SlowHandler &slow)
{
    if (!IsTimeMeaningful)
        return;
    if (slow.cpuMs > FailingLimits * slow.limitMs)
        QFAIL(qPrintable(ui::slowHandlerText(slow)));
    qInfo("%s", qPrintable(ui::slowHandlerText(slow)));
}

/// A test fails in which the GUI thread is far too long in one event handler.
class TestApplication : public ui::WatchedApplication
{
public:
    TestApplication(int &argc, char **argv)
        : ui::WatchedApplication(argc, argv)
    {
        setReport(&judge);
    }
};

} // namespace

int main(int argc, char **argv)
{
    return tests::runNamedTest<TestApplication>(argc, argv);
}
