#include "ui/main_window/trust.h"

#include "core/model/step_marks.h"
#include "ui/session/session.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace ui {

namespace {

    constexpr std::size_t maxAlignmentLines = 16;

    QString tr(const char *text)
    {
        return QCoreApplication::translate("Trust", text);
    }

    QString gradeText(core::TrustLevel level)
    {
        switch (level) {
        case core::TrustLevel::Good:
            return tr("good");
        case core::TrustLevel::Fair:
            return tr("fair");
        case core::TrustLevel::Poor:
            break;
        }
        return tr("poor");
    }

    int statedWorldSize(const core::ProjectInfo &info)
    {
        int size = 0;
        for (const core::Worker &worker : info.workers)
            size = std::max(size, worker.worldSize.value_or(0));
        return size;
    }

    bool hasMissingRanks(const core::ProjectInfo &info)
    {
        return statedWorldSize(info) > static_cast<int>(info.workers.size());
    }

    QString alignmentLine(const core::ProjectInfo &info, const core::Alignment &a)
    {
        const int rank = info.workers[a.worker.value].rank;
        if (a.isReference)
            return tr("Rank %1: reference clock").arg(rank);
        if (!a.isKnown)
            return tr("Rank %1: nothing ties its clock to the reference; as recorded").arg(rank);
        if (core::isByHand(info.byHand, a.worker))
            return tr("Rank %1: offset %2 set by hand, residual %3")
                .arg(QString::number(rank), formatDelta(a.offsetNs), formatDuration(a.residualNs));
        if (core::isOneClock(a))
            return tr("Rank %1: recorded by the reference's clock").arg(rank);
        if (a.isAsRecorded)
            return tr("Rank %1: as recorded, agrees with the reference within %2, residual %3")
                .arg(QString::number(rank), formatDuration(a.uncertaintyNs),
                     formatDuration(a.residualNs));
        return tr("Rank %1: offset %2 ± %3, drift %4 ppm, residual %5")
            .arg(QString::number(rank), formatDelta(a.offsetNs), formatDuration(a.uncertaintyNs),
                 QString::number(a.driftPpm, 'f', 1), formatDuration(a.residualNs));
    }

    QStringList alignmentLines(const core::ProjectInfo &info)
    {
        QStringList lines { QString(),
                            tr("Clocks: %1").arg(QString::fromStdString(info.alignment.status)) };
        const auto &workers = info.alignment.workers;
        for (std::size_t i = 0; i < std::min(workers.size(), maxAlignmentLines); ++i)
            lines << alignmentLine(info, workers[i]);
        if (workers.size() > maxAlignmentLines)
            lines << tr("and %1 more ranks").arg(workers.size() - maxAlignmentLines);
        return lines;
    }

    QStringList replayLines(const core::ScenarioResult &replay)
    {
        QStringList lines { QString(),
                            tr("Replay of the unchanged trace: %1, measured %2 (error %3)")
                                .arg(formatDuration(replay.predictedNs),
                                     formatDuration(replay.measuredNs),
                                     formatPercent(std::abs(replay.replayErrorFraction))) };
        for (const std::string &reason : replay.trustReasons)
            lines << QString::fromStdString(reason);
        return lines;
    }

} // namespace

int iterationCount(const core::ProjectInfo &info)
{
    std::map<core::WorkerId, int> perWorker;
    for (const core::Worker &worker : info.workers)
        perWorker[worker.id] = 0;
    for (const core::Iteration &iteration : info.iterations)
        ++perWorker[iteration.worker];
    int count = perWorker.empty() ? 0 : perWorker.begin()->second;
    for (const auto &[worker, n] : perWorker)
        count = std::min(count, n);
    return count;
}

std::optional<std::int64_t> alignmentErrorNs(const core::ProjectInfo &info)
{
    std::optional<std::int64_t> error;
    for (const core::Alignment &a : info.alignment.workers) {
        if (a.isReference || core::isByHand(info.byHand, a.worker))
            continue;
        if (!a.isKnown)
            return std::nullopt;
        // Alignments of older projects do not know how sure they are.
        const bool isSure = a.uncertaintyNs > 0 || core::isOneClock(a);
        error = std::max(error.value_or(0), isSure ? a.uncertaintyNs : a.residualNs);
    }
    return error;
}

QString ranksText(const core::ProjectInfo &info)
{
    const int found = static_cast<int>(info.workers.size());
    if (hasMissingRanks(info))
        return tr("%1 of %2 ranks").arg(found).arg(statedWorldSize(info));
    return found == 1 ? tr("1 rank") : tr("%1 ranks").arg(found);
}

QString iterationsText(const core::ProjectInfo &info)
{
    if (!core::hasKnownIterations(info.tracks, info.iterations))
        return tr("no iterations told apart");
    const int count = iterationCount(info);
    return count == 1 ? tr("1 iteration") : tr("%1 iterations").arg(count);
}

QString alignmentText(const core::ProjectInfo &info)
{
    if (info.workers.size() < 2)
        return {};
    if (!info.byHand.empty())
        return tr("clocks set by hand");
    const auto &clocks = info.alignment.workers;
    const auto areAll = [&clocks](auto predicate) {
        return std::all_of(clocks.begin(), clocks.end(), [&predicate](const core::Alignment &a) {
            return a.isReference || predicate(a);
        });
    };
    const std::optional<std::int64_t> error = alignmentErrorNs(info);
    if (!error)
        return tr("not aligned");
    if (areAll(core::isOneClock))
        return tr("one clock");
    const QString within = QStringLiteral("\u00b1") + formatDuration(*error, 2);
    return areAll([](const core::Alignment &a) { return a.isAsRecorded; })
        ? tr("clocks agree %1").arg(within)
        : tr("aligned %1").arg(within);
}

QString trustText(const Session &session)
{
    const auto diagnosis = session.diagnosis();
    if (diagnosis == nullptr)
        return session.analysisError().isEmpty() ? QString() : tr("trust: no analysis");
    if (diagnosis->selfReplay.measuredNs <= 0)
        return tr("trust: no replay");
    const double error = std::abs(diagnosis->selfReplay.replayErrorFraction);
    const QString grade = gradeText(diagnosis->selfReplay.trust);
    return tr("trust: %1 (%2 self-replay)").arg(grade, formatPercent(error));
}

QString trustDetails(const Session &session)
{
    const core::ProjectInfo &info = session.reader().info();
    QStringList lines;
    lines << ranksText(info) + QStringLiteral(", ") + iterationsText(info);
    if (hasMissingRanks(info))
        lines << tr("Ranks are missing: what they made others wait for cannot be seen.");
    if (info.workers.size() > 1)
        lines << alignmentLines(info);
    if (!session.analysisError().isEmpty())
        lines << QString() << session.analysisError();
    if (const auto diagnosis = session.diagnosis())
        lines << replayLines(diagnosis->selfReplay);
    return lines.join(QLatin1Char('\n'));
}

} // namespace ui
