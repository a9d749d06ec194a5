#include "core/report/made_report.h"

#include "core/base/duration_text.h"
#include "core/blocks/outline.h"
#include "core/measure/typical_iteration.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostRanks = 8; ///< that stay readable on a page

    /// Ranks to draw, by number; empty: all.
    std::vector<int> shownRanks(const Diagnosis &diagnosis)
    {
        std::vector<RankParts> ranks = summarize(diagnosis).ranks;
        std::vector<int> shown;
        if (ranks.size() <= MostRanks)
            return shown;
        std::stable_sort(ranks.begin(), ranks.end(), [](const RankParts &a, const RankParts &b) {
            return a.lateNs > b.lateNs;
        });
        for (std::size_t i = 0; i < MostRanks; ++i)
            shown.push_back(ranks[i].rank);
        std::sort(shown.begin(), shown.end());
        return shown;
    }

    ReportTimeline timelineOf(const Prediction &result, const Trace &trace,
                              const std::vector<int> &ranks, const std::string &title,
                              const JobControl &control)
    {
        const std::size_t iteration = longestKind(result, result.typicalIteration);
        const GraphOutline outline = outlineOf({ result.graph, result.replay, trace.workers,
                                                 static_cast<std::int32_t>(iteration),
                                                 iterationPath(result, iteration), ranks },
                                               control);
        Drawing drawing = drawingOf(outline, {}, control);
        drawing.links.clear(); // the critical path is what a page has room for
        const std::int64_t lengthNs = slowestNs(result.iterations, iteration);
        return { title + ": " + durationText(lengthNs)
                     + (ranks.empty() ? ""
                                      : ", the " + std::to_string(ranks.size())
                                + " ranks that others wait for most"),
                 std::move(drawing), lengthNs };
    }

    bool canBeDrawn(const Prediction &result)
    {
        return result.graph != nullptr && result.replay != nullptr && result.hasIterations
            && !result.iterations.empty();
    }

} // namespace

std::vector<std::string> madeReport(const Trace &trace, const Diagnosis &diagnosis,
                                    const ReportWords &words, const Prediction *whatIf,
                                    const JobControl &control)
{
    ReportInput input { diagnosis, words, whatIf, {} };
    const std::vector<int> ranks = shownRanks(diagnosis);
    if (canBeDrawn(diagnosis.selfReplay))
        input.timelines.push_back(timelineOf(diagnosis.selfReplay, trace, ranks,
                                             "The typical iteration, replayed", control));
    if (whatIf != nullptr && canBeDrawn(*whatIf))
        input.timelines.push_back(
            timelineOf(*whatIf, trace, ranks, "Predicted with " + words.strategyName, control));
    double longest = 0;
    for (const ReportTimeline &one : input.timelines)
        longest = std::max({ longest, one.drawing.width, static_cast<double>(one.lengthNs) });
    for (ReportTimeline &one : input.timelines)
        one.drawing.width = longest; // one axis
    std::erase_if(input.timelines,
                  [](const ReportTimeline &one) { return one.drawing.lanes.empty(); });
    return reportPages(input);
}

} // namespace core
