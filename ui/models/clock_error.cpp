#include "ui/models/clock_error.h"

#include "core/model/clock_share.h"
#include "core/model/clocks.h"
#include "core/model/step_marks.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

    struct ClockErrorWords
    {
        Q_DECLARE_TR_FUNCTIONS(ClockError)
    };

    std::optional<std::int64_t> iterationNsOf(const core::ProjectInfo &info)
    {
        if (!core::hasKnownIterations(info.tracks, info.iterations))
            return std::nullopt;
        return core::medianIterationNs(info.iterations);
    }

} // namespace

std::optional<double> ClockError::share() const
{
    if (!iterationNs)
        return std::nullopt;
    return static_cast<double>(ns) / static_cast<double>(*iterationNs);
}

bool ClockError::isSmall() const
{
    constexpr double SmallShare = 0.01;
    return share().value_or(1) < SmallShare;
}

std::optional<ClockError> clockError(const core::ProjectInfo &info)
{
    std::optional<ClockError> error;
    for (const core::Alignment &a : info.alignment.workers) {
        if (a.isReference || core::isByHand(info.byHand, a.worker))
            continue;
        if (!a.isKnown)
            return std::nullopt;
        if (!error)
            error = ClockError { 0, iterationNsOf(info) };
        // Alignments of older projects do not know how sure they are.
        const bool isSure = a.uncertaintyNs > 0 || core::isOneClock(a);
        error->ns = std::max(error->ns, isSure ? a.uncertaintyNs : a.residualNs);
    }
    return error;
}

QString clockErrorText(const ClockError &error)
{
    const QString within = QStringLiteral("\u00b1") + formatDuration(error.ns, 2);
    return error.isSmall() || !error.share()
        ? within
        : ClockErrorWords::tr("%1 (%2 of an iteration)").arg(within, formatPercent(*error.share()));
}

QString clockErrorSentence(const ClockError &error)
{
    if (error.ns == 0)
        return {};
    const QString within = formatDuration(error.ns);
    return error.share()
        ? ClockErrorWords::tr("The largest \u00b1 is %1, %2 of an iteration of %3: which of two "
                              "ranks was first is not known of what lies closer together.")
              .arg(within, formatPercent(*error.share()), formatDuration(*error.iterationNs))
        : ClockErrorWords::tr("The largest \u00b1 is %1: which of two ranks was first is not known "
                              "of what lies closer together.")
              .arg(within);
}

} // namespace ui
