#include "ui/main_window/trust.h"

#include "core/base/printable_text.h"
#include "core/base/ranks_text.h"
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
#include <vector>

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

    /// What is told of one rank's clock; of ranks with the same text together.
    QString clockText(const core::ProjectInfo &info, const core::Alignment &a,
                      const core::ClockDrift &drift)
    {
        if (a.isReference)
            return TrustText::tr("reference clock");
        if (core::isPlaced(a))
            return TrustText::tr(
                "nothing ties the clock to the reference; shown beside the others");
        if (!a.isKnown)
            return TrustText::tr("nothing ties the clock to the reference; as recorded");
        if (core::isByHand(info.byHand, a.worker))
            return TrustText::tr("offset %1 set by hand, residual %2")
                .arg(formatOffset(a.offsetNs, 0), formatDuration(a.residualNs));
        if (core::isOneClock(a))
            return TrustText::tr("recorded by the reference's clock");
        if (a.isAsRecorded)
            return TrustText::tr("as recorded, agrees with the reference within %1, residual %2")
                .arg(formatDuration(a.uncertaintyNs), formatDuration(a.residualNs));
        return TrustText::tr("offset %1 \u00b1%2, drift %3, residual %4")
            .arg(formatOffset(a.offsetNs, a.uncertaintyNs), formatDuration(a.uncertaintyNs),
                 clockDriftText(drift), formatDuration(a.residualNs));
    }

    /// "Rank 3: ..." or "Ranks 1-7: ...".
    QString ofRanks(const std::vector<int> &ranks, const QString &text)
    {
        const QString numbers = QString::fromStdString(core::rankNumbersText(ranks));
        return (ranks.size() == 1 ? TrustText::tr("Rank %1: %2") : TrustText::tr("Ranks %1: %2"))
            .arg(numbers, text);
    }

    struct RanksLine
    {
        QString text;
        std::vector<int> ranks;
    };

    void addRank(std::vector<RanksLine> &lines, const QString &text, int rank)
    {
        const auto same = std::find_if(lines.begin(), lines.end(), [&text](const RanksLine &line) {
            return line.text == text;
        });
        if (same == lines.end())
            lines.push_back({ text, { rank } });
        else
            same->ranks.push_back(rank);
    }

    QStringList alignmentLines(const core::ProjectInfo &info)
    {
        QStringList lines { unbrokenUnits(QString::fromStdString(info.alignment.status)) };
        const auto &workers = info.alignment.workers;
        const std::vector<core::ClockDrift> drifts
            = core::clockDrifts(info.alignment, info.workers, info.byHand, info.iterations);
        std::vector<RanksLine> found;
        for (std::size_t i = 0; i < workers.size(); ++i)
            addRank(found, clockText(info, workers[i], drifts[i]),
                    info.workers[workers[i].worker.value].rank);
        for (std::size_t i = 0; i < std::min(found.size(), maxAlignmentLines); ++i)
            lines << ofRanks(found[i].ranks, found[i].text);
        if (found.size() > maxAlignmentLines)
            lines << countText(found.size() - maxAlignmentLines,
                               TrustText::tr("and 1 more, on the page Clocks"),
                               TrustText::tr("and %1 more, on the page Clocks"));
        return lines;
    }

    QStringList rankLines(const core::ProjectInfo &info, const core::ComparedIterations &compared)
    {
        QStringList lines { ranksText(info) + QStringLiteral(", ")
                            + iterationsText(info, compared) };
        if (hasMissingRanks(info))
            lines << TrustText::tr(
                "Ranks are missing: what they made others wait for cannot be seen.");
        std::vector<RanksLine> hosts;
        for (const core::Worker &worker : info.workers)
            addRank(hosts,
                    worker.host.empty() ? TrustText::tr("host not recorded")
                                        : QString::fromStdString(core::oneLine(worker.host)),
                    worker.rank);
        for (std::size_t i = 0; i < std::min(hosts.size(), maxAlignmentLines); ++i)
            lines << ofRanks(hosts[i].ranks, hosts[i].text);
        if (hosts.size() > maxAlignmentLines)
            lines << countText(hosts.size() - maxAlignmentLines, TrustText::tr("and 1 more host"),
                               TrustText::tr("and %1 more hosts"));
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

    QStringList trustLines(const Session &session)
    {
        QStringList lines;
        if (!session.analysisError().isEmpty())
            lines << session.analysisError();
        if (isOfSeveralJobs(session))
            return lines << trustText(session) << reasonLines(session.diagnosis()->selfReplay);
        const auto shown = session.shownResult();
        if (shown != nullptr && session.diagnosis() != nullptr)
            lines << trustText(*shown) << replayLine(session.diagnosis()->selfReplay)
                  << predictionLines(*shown) << reasonLines(*shown);
        return lines;
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
    return (result.strategy.isEmpty()
                ? TrustText::tr("trust: %1 (replay off by %2)")
                : TrustText::tr("trust in the what-if: %1 (replay off by %2)"))
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

QString statusDetails(const Session &session, StatusSubject subject)
{
    const core::ProjectInfo &info = session.reader().info();
    switch (subject) {
    case StatusSubject::Ranks:
        return rankLines(info, session.compared()).join(QLatin1Char('\n'));
    case StatusSubject::Clocks:
        return alignmentLines(info).join(QLatin1Char('\n'));
    case StatusSubject::Trust:
        return trustLines(session).join(QLatin1Char('\n'));
    }
    return {};
}

} // namespace ui
