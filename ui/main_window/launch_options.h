#pragma once

#include "core/base/time_range.h"
#include "core/change/change.h"
#include "core/change/measured_job.h"
#include "core/optimize/strategy_file.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace ui {

/// "timeline-critical=out.png": a workspace, optionally one of its states, and a file.
struct ScreenshotRequest
{
    QString name; ///< "timeline-critical"
    QString file;
    bool isPicture = false; ///< --picture: without bars and panels; else the window
};

/// What `longpole-ui` was started with.
struct LaunchOptions
{
    QStringList paths;
    QString event; ///< --at: a slice's number or (part of) a name; empty: none
    QList<ScreenshotRequest> screenshots;
    QString pictureRanks; ///< --ranks: "0-3, 7"; empty: all that are shown
    std::optional<core::TimeRange> pictureTime; ///< --time, counted from the timeline's origin
    double pictureScale = 2; ///< --scale
    QList<ScreenshotRequest> renders; ///< --render: `name` is the SVG file
    QSize size { 1920, 1080 }; ///< used with screenshots, or when asked for
    bool hasSize = false;
    std::optional<ThemeChoice> theme;
    core::Strategy strategy; ///< --set
    QString strategyFile; ///< --strategy; empty: none
    bool wantsPrediction() const { return !strategy.isEmpty() || !strategyFile.isEmpty(); }
    bool wantsHelp = false;
    bool wantsVersion = false;
};

/// Changes of --strategy, with those of --set in place of what they contradict, and what of the
/// file was passed over. Throws core::Error naming the file.
core::StrategyFile givenStrategy(const LaunchOptions &options, const core::MeasuredJob &job);

/// Throws core::UsageError naming the wrong word.
LaunchOptions parseLaunchOptions(const QStringList &arguments);
QString launchHelp();

} // namespace ui
