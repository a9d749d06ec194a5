#include "ui/models/clock_words.h"

#include "ui/widgets/format.h"

#include <QCoreApplication>

namespace ui {

namespace {

    struct ClockWords
    {
        Q_DECLARE_TR_FUNCTIONS(ClockUncertainty)
    };

} // namespace

QString clockUncertaintyText(const core::ClockUncertainty &clocks)
{
    constexpr int Digits = 2;
    const QString within = QStringLiteral("\u00b1") + formatDuration(clocks.ns, Digits);
    if (clocks.isSmall() || !clocks.share())
        return within;
    return (clocks.hasIterations ? ClockWords::tr("%1 (%2 of an iteration)")
                                 : ClockWords::tr("%1 (%2 of the recorded time)"))
        .arg(within, formatPercent(*clocks.share()));
}

QString clockUncertaintySentence(const core::ClockUncertainty &clocks)
{
    const QString within = formatDuration(clocks.ns);
    if (!clocks.share())
        return ClockWords::tr(
                   "The largest \u00b1 is %1. Where events of two ranks lie closer together, "
                   "which came first is not known.")
            .arg(within);
    return (clocks.hasIterations
                ? ClockWords::tr(
                    "The largest \u00b1 is %1, %2 of the median iteration of all ranks (%3). Where "
                    "events of two ranks lie closer together, which came first is not known.")
                : ClockWords::tr("The largest \u00b1 is %1, %2 of the recorded time (%3). Where "
                                 "events of two ranks lie closer together, which came first is not "
                                 "known."))
        .arg(within, formatPercent(*clocks.share()), formatDuration(clocks.iterationNs));
}

QString clockDriftText(const core::ClockDrift &drift)
{
    if (!drift.mostPpm)
        return drift.ppm ? formatDrift(*drift.ppm) : ClockWords::tr("not known");
    const QString within = formatDriftSize(*drift.mostPpm);
    return drift.ppm ? ClockWords::tr("%1 (\u00b1%2)").arg(formatDrift(*drift.ppm), within)
                     : ClockWords::tr("not known (\u00b1%1)").arg(within);
}

} // namespace ui
