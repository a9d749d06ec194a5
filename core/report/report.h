#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/summary_data.h"
#include "core/blocks/drawing.h"
#include "core/predict/prediction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Words of a project that its diagnosis does not hold.
struct ReportWords
{
    std::string title; ///< of the project, without its folder
    std::string clocks; ///< how far clocks may be apart
    std::string strategyName; ///< of the what-if; empty: there is none
};

/// A typical iteration, recorded or predicted.
struct ReportTimeline
{
    std::string title;
    Drawing drawing;
    std::int64_t lengthNs = 0; ///< of the iteration, whose end is marked
};

struct ReportInput
{
    const Diagnosis &diagnosis; ///< with intervals of its gains
    ReportWords words;
    const Prediction *whatIf = nullptr; ///< judged; null: there is none
    std::vector<ReportTimeline> timelines; ///< below each other
};

/// SVG elements of each page: the verdict, where the time goes, what would shorten it, limits,
/// what-ifs, ranks, timelines, and how far all this can be trusted.
std::vector<std::string> reportPages(const ReportInput &input);

} // namespace core
