#include "ui/main_window/trust.h"

#include "core/model/clock_drift.h"
#include "core/model/clocks.h"
#include "core/model/step_marks.h"
#include "core/model/unrelated_clocks.h"
#include "core/model/world_size.h"
#include "ui/models/clock_words.h"
#include "ui/models/trust_words.h"
#include "ui/session/session.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace ui {

namespace {

    constexpr std::size_t maxAlignmentLines = 16;

    struct TrustText
    {
        Q_DECLARE_TR_FUNCTIONS(Trust)
    };

    bool hasMissingRanks(const core::ProjectInfo &info)
    {
        return core::statedWorldSize(info.workers).value_or(0)
            > static_cast<int>(info.workers.size());
    }

    QString alignmentLine(const core::ProjectInfo &info, const core::Alignment &a,
                          const core::ClockDrift &drift)
    {
        const int rank = info.workers[a.worker.value].rank;
        if (a.isReference)
            return TrustText::tr("Rank %1: reference clock").arg(rank);
        if (core::isPlaced(a))
            return TrustText::tr("Rank %1: nothing ties its clock to the reference; shown beside "
                                 "the others")
                .arg(rank);
        if (!a.isKnown)
            return TrustText::tr("Rank %1: nothing ties its clock to the reference; as recorded")
                .arg(rank);
        if (core::isByHand(info.byHand, a.worker))
            return TrustText::tr("Rank %1: offset %2 set by hand, residual %3")
                .arg(QString::number(rank), formatOffset(a.offsetNs, 0),
                     formatDuration(a.residualNs));
        if (core::isOneClock(a))
            return TrustText::tr("Rank %1: recorded by the reference's clock").arg(rank);
        if (a.isAsRecorded)
            return TrustText::tr(
                       "Rank %1: as recorded, agrees with the reference within %2, residual %3")
                .arg(QString::number(rank), formatDuration(a.uncertaintyNs),
                     formatDuration(a.residualNs));
        return TrustText::tr("Rank %1: offset %2 ± %3, drift %4, residual %5")
            .arg(QString::number(rank), formatOffset(a.offsetNs, a.uncertaintyNs),
                 formatDuration(a.uncertaintyNs), clockDriftText(drift),
                 formatDuration(a.residualNs));
    }

    QStringList alignmentLines(const core::ProjectInfo &info)
    {
        QStringList lines {
            QString(),
            TrustText::tr("Clocks: %1").arg(QString::fromStdString(info.alignment.status))
        };
        const auto &workers = info.alignment.workers;
        const std::vector<core::ClockDrift> drifts
            = core::clockDrifts(info.alignment, info.workers, info.byHand, info.iterations);
        for (std::size_t i = 0; i < std::min(workers.size(), maxAlignmentLines); ++i)
            lines << alignmentLine(info, workers[i], drifts[i]);
        if (workers.size() > maxAlignmentLines)
            lines << countText(workers.size() - maxAlignmentLines, TrustText::tr("and 1 more rank"),
                               TrustText::tr("and %1 more ranks"));
        return lines;
    }

    bool isOfSeveralJobs(const Session &session)
    {
        return session.diagnosis() != nullptr && !session.diagnosis()->isOfOneJob;
    }

    QStringList reasonLines(const core::Prediction &result)
    {
        QStringList lines;
        for (const std::string &reason : result.trustReasons)
            lines << unbrokenUnits(QString::fromStdString(reason));
        return lines;
    }

    /// What a what-if does to the iteration, and why there is no interval, as far as that is said.
    QStringList predictionLines(const core::Prediction &result)
    {
        QStringList lines;
        for (const auto &text : { result.noChange, result.noEffect })
            if (text)
                lines << unbrokenUnits(QString::fromStdString(*text));
        if (result.unknownInterval)
            lines << TrustText::tr("95 % interval not known: %1")
                         .arg(unbrokenUnits(QString::fromStdString(*result.unknownInterval)));
        return lines;
    }

    QString replayLine(const core::Prediction &replay)
    {
        return TrustText::tr("Replay of the unchanged trace: %1, measured %2 (error %3)")
            .arg(formatDuration(replay.predictedNs), formatDuration(replay.measuredNs),
                 formatReplayError(replay.replayErrorFraction));
    }

} // namespace

QString ranksText(const core::ProjectInfo &info)
{
    if (hasMissingRanks(info))
        return TrustText::tr("%1 of %2 ranks")
            .arg(info.workers.size())
            .arg(*core::statedWorldSize(info.workers));
    return countText(info.workers.size(), TrustText::tr("1 rank"), TrustText::tr("%1 ranks"));
}

QString iterationsText(const core::ProjectInfo &info, const core::ComparedIterations &compared)
{
    if (!core::hasKnownIterations(info.tracks, info.iterations))
        return TrustText::tr("no iterations told apart");
    if (compared.count < compared.recordedCount)
        return TrustText::tr("%1 of %2 iterations")
            .arg(formatCount(compared.count), formatCount(compared.recordedCount));
    return countText(compared.count, TrustText::tr("1 iteration"), TrustText::tr("%1 iterations"));
}

QString alignmentText(const core::ProjectInfo &info)
{
    if (info.workers.size() < 2)
        return {};
    if (!info.byHand.empty())
        return TrustText::tr("clocks set by hand");
    const auto &clocks = info.alignment.workers;
    const auto areAll = [&clocks](auto predicate) {
        return std::all_of(clocks.begin(), clocks.end(), [&predicate](const core::Alignment &a) {
            return a.isReference || predicate(a);
        });
    };
    if (clocks.empty() || !areAll([](const core::Alignment &a) { return a.isKnown; }))
        return TrustText::tr("not aligned");
    if (areAll(core::isOneClock))
        return TrustText::tr("one clock");
    const auto unsure = core::clockUncertainty(info.alignment, info.tracks, info.iterations);
    if (!unsure) // no clock has an uncertainty
        return TrustText::tr("aligned");
    const QString within = clockUncertaintyText(*unsure);
    if (!areAll([](const core::Alignment &a) { return a.isAsRecorded; }))
        return TrustText::tr("aligned %1").arg(within);
    // To agree is to differ by little beside what is looked at.
    return unsure->isSmall() ? TrustText::tr("clocks agree %1").arg(within)
                             : TrustText::tr("clocks as recorded %1").arg(within);
}

QString trustText(const core::Prediction &result)
{
    if (result.measuredNs <= 0)
        return TrustText::tr("trust: no replay");
    if (!result.isJudged)
        return TrustText::tr("trust in the what-if: not yet found");
    return (result.strategy.isEmpty() ? TrustText::tr("trust: %1 (%2 self-replay)")
                                      : TrustText::tr("trust in the what-if: %1 (%2 self-replay)"))
        .arg(gradeText(result.trust), formatReplayError(result.replayErrorFraction));
}

QString trustText(const Session &session)
{
    if (const auto shown = session.shownResult())
        return trustText(*shown);
    if (isOfSeveralJobs(session))
        return TrustText::tr("several jobs: no figures");
    return session.analysisError().isEmpty() ? QString() : TrustText::tr("trust: no analysis");
}

QString trustReasons(const Session &session)
{
    if (isOfSeveralJobs(session))
        return reasonLines(session.diagnosis()->selfReplay).join(QLatin1Char('\n'));
    const auto shown = session.shownResult();
    return shown == nullptr ? session.analysisError() : reasonLines(*shown).join(QLatin1Char('\n'));
}

QString trustDetails(const Session &session)
{
    const core::ProjectInfo &info = session.reader().info();
    QStringList lines;
    lines << ranksText(info) + QStringLiteral(", ") + iterationsText(info, session.compared());
    if (hasMissingRanks(info))
        lines << TrustText::tr("Ranks are missing: what they made others wait for cannot be seen.");
    if (info.workers.size() > 1)
        lines << alignmentLines(info);
    if (!session.analysisError().isEmpty())
        lines << QString() << session.analysisError();
    if (isOfSeveralJobs(session))
        lines << QString() << trustText(session) << reasonLines(session.diagnosis()->selfReplay);
    else if (const auto shown = session.shownResult())
        lines << QString() << trustText(*shown) << replayLine(session.diagnosis()->selfReplay)
              << predictionLines(*shown) << reasonLines(*shown);
    return lines.join(QLatin1Char('\n'));
}

} // namespace ui
