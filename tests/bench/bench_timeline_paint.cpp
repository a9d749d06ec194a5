// Paints the timeline of a project of 1,000,000 events along a trajectory of zooms and pans and
// prints what a frame costs: bench_timeline_paint [Google Benchmark's options]. The project is
// generated beside the program unless LONGPOLE_BENCH_PROJECT names one.
#include "tests/bench/generated_project.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline_sources/project_timeline_source.h"

#include <QGuiApplication>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

constexpr QSize FrameSize(1920, 1000);

/// Zooms in on three places in 40 steps each, pans there, and zooms out again.
std::vector<core::TimeRange> trajectory(core::TimeRange limits)
{
    std::vector<core::TimeRange> frames;
    ui::TimeAxis axis = ui::axisFor(limits, FrameSize.width());
    for (const double x : { 300.0, 960.0, 1700.0 }) {
        const auto move = [&](int count, auto step) {
            for (int i = 0; i < count; ++i) {
                axis = step(axis);
                frames.push_back(axis.visible());
            }
        };
        move(40, [&](const ui::TimeAxis &a) { return ui::zoomed(a, 1.25, x, limits); });
        move(40, [&](const ui::TimeAxis &a) { return ui::panned(a, 48, limits); });
        move(40, [&](const ui::TimeAxis &a) { return ui::zoomed(a, 0.8, x, limits); });
        move(20, [&](const ui::TimeAxis &a) { return ui::panned(a, -300, limits); });
    }
    return frames;
}

double percentile(std::vector<double> values, double fraction)
{
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(fraction * last)];
}

/// `unfolded`: every depth of every track is painted.
void paintTrajectory(benchmark::State &state, bool unfolded)
{
    const ui::ProjectTimelineSource source(bench::generatedProject());
    ui::FoldState folds;
    for (std::size_t track = 0; unfolded && track < source.tracks().size(); ++track) {
        folds.unfoldedTracks.insert(track);
    }
    const ui::TimelineLayout layout = ui::layOut(source.tracks(), folds);
    ui::TimelineFrame frame;
    frame.source = &source;
    frame.layout = &layout;
    frame.size = FrameSize;
    frame.theme = ui::darkTheme();
    frame.font = ui::uiFont(ui::TextSize::Small);
    ui::TimelinePainter painter;
    std::vector<double> millis;
    int mostBoxes = 0;
    const auto ranges = trajectory(ui::padded(source.range(), 0.02));
    for (auto _ : state) {
        for (const core::TimeRange &range : ranges) {
            frame.axis = ui::axisFor(range, FrameSize.width());
            const auto start = std::chrono::steady_clock::now();
            benchmark::DoNotOptimize(painter.paint(frame).bits());
            const std::chrono::duration<double, std::milli> took
                = std::chrono::steady_clock::now() - start;
            millis.push_back(took.count());
            mostBoxes = std::max(mostBoxes, painter.statistics().boxes);
        }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(millis.size()));
    state.counters["p50_ms"] = percentile(millis, 0.5);
    state.counters["p99_ms"] = percentile(millis, 0.99);
    state.counters["worst_ms"] = percentile(millis, 1);
    state.counters["boxes"] = mostBoxes;
}

} // namespace

BENCHMARK_CAPTURE(paintTrajectory, folded, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paintTrajectory, unfolded, true)->Unit(benchmark::kMillisecond);

int main(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    const QGuiApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
