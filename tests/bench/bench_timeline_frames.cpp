// Pans and zooms the timeline widget of a project of 64 ranks and 10,000,000 slices at 1920 x 1080,
// drawn by Qt's software renderer, and prints what processor time a frame takes from the event to
// its last pixel: bench_timeline_frames [Google Benchmark's options]. The project is generated
// beside the program unless LONGPOLE_BENCH_PROJECT names one.
#include "tests/bench/generated_project.h"
#include "ui/timeline/timeline_body.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/timeline_sources/project_timeline_source.h"

#include <QApplication>
#include <QPaintEvent>
#include <QWheelEvent>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <vector>

namespace {

constexpr QSize WindowSize(1920, 1080);

enum class Rows : std::uint8_t { AsOpened, AllOpen, RankOverview };

/// Processor time of this thread since it began: on a machine that others use, too, the time that
/// passes says little.
double cpuMs()
{
    timespec now {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Counts the frames that the tracks are painted in.
class PaintCount : public QObject
{
public:
    int count = 0;

    bool eventFilter(QObject *, QEvent *event) override
    {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
};

/// A shown timeline that is driven by the wheel, as a hand does.
class DrivenTimeline
{
public:
    explicit DrivenTimeline(Rows rows)
    {
        m_widget.resize(WindowSize);
        m_widget.setSource(
            std::make_shared<ui::ProjectTimelineSource>(bench::generatedProject(64)));
        ui::TimelineState &state = m_widget.state();
        if (rows == Rows::AllOpen) {
            ui::FoldState folds; // every group is open, every track has all its depths
            for (std::size_t track = 0; track < state.source()->tracks().size(); ++track)
                folds.unfoldedTracks.insert(track);
            state.setFolds(folds);
        }
        state.setRankOverview(rows == Rows::RankOverview);
        m_body = m_widget.findChild<ui::TimelineBody *>();
        m_body->installEventFilter(&m_paints);
        m_widget.show();
        QCoreApplication::processEvents();
    }

    /// Turns the wheel by a notch at `x`, in pixels of the tracks, until the window is painted. A
    /// turn at the end of what can be reached moves nothing and is no frame.
    void turn(double x, QPoint notches, Qt::KeyboardModifiers keys)
    {
        const int before = m_paints.count;
        const QPointF at(x, m_body->height() / 2.0);
        QWheelEvent event(at, m_body->mapToGlobal(at), {}, notches * 120, Qt::NoButton, keys,
                          Qt::NoScrollPhase, false);
        const double begin = cpuMs();
        QCoreApplication::sendEvent(m_body, &event);
        QCoreApplication::processEvents();
        if (m_paints.count > before)
            m_millis.push_back(cpuMs() - begin);
    }

    /// Processor time of each frame.
    const std::vector<double> &millis() const { return m_millis; }

private:
    ui::TimelineWidget m_widget;
    ui::TimelineBody *m_body = nullptr;
    PaintCount m_paints;
    std::vector<double> m_millis;
};

/// Zooms in through all levels at three places, pans and scrolls at several depths, and zooms out.
void driveThrough(DrivenTimeline &timeline)
{
    constexpr int Levels = 60, PansEvery = 10, Pans = 6, Scrolls = 4;
    const QPoint forward(0, 1), back(0, -1);
    for (const double x : { 250.0, 850.0, 1500.0 }) {
        for (int level = 0; level < Levels; ++level) {
            timeline.turn(x, forward, Qt::ControlModifier);
            for (int i = 0; level % PansEvery == 0 && i < Pans; ++i)
                timeline.turn(x, back, Qt::ShiftModifier);
            for (int i = 0; level % PansEvery == 0 && i < Scrolls; ++i)
                timeline.turn(x, back, Qt::NoModifier);
        }
        for (int level = 0; level < Levels; ++level)
            timeline.turn(x, back, Qt::ControlModifier);
    }
}

double percentile(std::vector<double> values, double fraction)
{
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(fraction * last)];
}

void panAndZoom(benchmark::State &state, Rows rows)
{
    DrivenTimeline timeline(rows);
    for (auto _ : state)
        driveThrough(timeline);
    const std::vector<double> &millis = timeline.millis();
    if (millis.empty())
        return state.SkipWithError("nothing was painted");
    state.SetItemsProcessed(static_cast<std::int64_t>(millis.size()));
    state.counters["p50_ms"] = percentile(millis, 0.5);
    state.counters["p99_ms"] = percentile(millis, 0.99);
    state.counters["max_ms"] = percentile(millis, 1);
    state.counters["frames"] = static_cast<double>(millis.size());
}

} // namespace

BENCHMARK_CAPTURE(panAndZoom, as_opened, Rows::AsOpened)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(panAndZoom, all_open, Rows::AllOpen)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(panAndZoom, rank_overview, Rows::RankOverview)->Unit(benchmark::kMillisecond);

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen"); // its windows are painted by the raster engine
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
