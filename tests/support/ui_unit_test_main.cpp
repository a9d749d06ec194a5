#include "tests/support/unit_test.h"
#include "ui/jobs/watched_application.h"

namespace {

/// A test fails in which the GUI thread is too long in one event handler.
class TestApplication : public ui::WatchedApplication
{
public:
    TestApplication(int &argc, char **argv)
        : ui::WatchedApplication(argc, argv)
    {
        setReport(
            [](const ui::SlowHandler &slow) { QFAIL(qPrintable(ui::slowHandlerText(slow))); });
    }
};

} // namespace

int main(int argc, char **argv)
{
    return tests::runNamedTest<TestApplication>(argc, argv);
}
