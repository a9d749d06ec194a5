// Opens a project in the window and prints when the timeline is painted, when the analysis is done,
// how long the window was deaf meanwhile, and what searches cost. LONGPOLE_BENCH_PROJECT names a
// project; without it one of 1,000,000 events is generated.
#include "tests/bench/generated_project.h"
#include "ui/main_window/main_window.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_body.h"
#include "ui/views/timeline/timeline_search.h"

#include <QApplication>
#include <QPaintEvent>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace {

/// CPU time of one thread or all since the program began, in ms.
double cpuMs(clockid_t clock)
{
    timespec now {};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double wallMs()
{
    static const auto begin = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> passed
        = std::chrono::steady_clock::now() - begin;
    return passed.count();
}

void print(const char *what)
{
    std::printf("%-34s %9.1f ms wall %9.1f ms CPU of the GUI thread %9.1f ms CPU of all\n", what,
                wallMs(), cpuMs(CLOCK_THREAD_CPUTIME_ID), cpuMs(CLOCK_PROCESS_CPUTIME_ID));
}

/// Sees the first paint of a timeline that has tracks.
class FirstPaint : public QObject
{
public:
    explicit FirstPaint(ui::Session &session)
        : m_session(session)
    {
    }
    bool isDone() const { return m_isDone; }

    bool eventFilter(QObject *object, QEvent *event) override
    {
        const bool isTimeline = qobject_cast<ui::TimelineBody *>(object) != nullptr;
        if (!isTimeline || event->type() != QEvent::Paint || m_isDone || !m_session.isOpen())
            return false;
        object->removeEventFilter(this);
        m_isDone = true;
        QCoreApplication::sendEvent(object, event);
        print("timeline painted");
        return true;
    }

private:
    ui::Session &m_session;
    bool m_isDone = false;
};

/// Handles events until `isDone`; returns the longest that the window did not look at new ones, in
/// ms of the GUI thread's CPU time.
template <class Condition>
double handleEventsUntil(Condition isDone)
{
    double longestMs = 0;
    while (!isDone()) {
        const double begin = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        longestMs = std::max(longestMs, cpuMs(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    return longestMs;
}

void search(const std::filesystem::path &project, const char *text, bool isInArguments)
{
    std::optional<ui::SearchRound> round = ui::SearchRound { project, text, isInArguments, 0 };
    const double begin = cpuMs(CLOCK_THREAD_CPUTIME_ID);
    for (int step = 1; round; ++step) {
        const ui::SearchResult result = ui::runSearch(*round, {});
        std::printf("search \"%s\"%s, step %d: %zu hits after %.1f ms CPU\n", text,
                    isInArguments ? " in arguments too" : "", step,
                    result.hits != nullptr ? result.hits->size() : result.total.value_or(0),
                    cpuMs(CLOCK_THREAD_CPUTIME_ID) - begin);
        round = result.next;
    }
}

} // namespace

int main(int argc, char **argv)
{
    wallMs();
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const std::filesystem::path project = bench::generatedProject();
    QApplication application(argc, argv);
    ui::Session session;
    ui::MainWindow window(session, false);
    FirstPaint paint(session);
    for (QWidget *timeline : window.findChildren<ui::TimelineBody *>())
        timeline->installEventFilter(&paint);
    window.resize(1920, 1080);
    window.show();
    QCoreApplication::processEvents();
    print("empty window shown");
    window.open({ QString::fromStdString(project.string()) });
    print("project opened");
    window.showWorkspace(QStringLiteral("timeline"));
    handleEventsUntil([&] { return paint.isDone(); });
    const double longestMs = handleEventsUntil(
        [&] { return session.diagnosis() != nullptr || !session.analysisError().isEmpty(); });
    print("analysis shown");
    std::printf("longest without looking at events  %9.1f ms CPU\n", longestMs);
    search(project, "aten::add", false);
    search(project, "nccl", false);
    search(project, "nothing of this name", false);
    search(project, "float", true);
    search(project, "12345", true);
    return 0;
}
