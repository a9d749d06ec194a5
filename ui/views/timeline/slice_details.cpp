#include "ui/views/timeline/slice_details.h"

#include "ui/timeline/time_format.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace ui {
namespace {

    struct SliceDetailsText
    {
        Q_DECLARE_TR_FUNCTIONS(SliceDetails)
    };

    QString fromView(std::string_view text)
    {
        return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    }

    QString rankName(const core::ProjectInfo &info, core::WorkerId worker)
    {
        return SliceDetailsText::tr("rank %1").arg(info.workers[worker.value].rank);
    }

    QString inWords(core::EdgeKind kind)
    {
        switch (kind) {
        case core::EdgeKind::HostOrder:
            return SliceDetailsText::tr("host order");
        case core::EdgeKind::StreamOrder:
            return SliceDetailsText::tr("stream order");
        case core::EdgeKind::Launch:
            return SliceDetailsText::tr("launch");
        case core::EdgeKind::Sync:
            return SliceDetailsText::tr("synchronisation");
        case core::EdgeKind::Collective:
            return SliceDetailsText::tr("collective");
        case core::EdgeKind::Data:
            return SliceDetailsText::tr("data");
        case core::EdgeKind::Iteration:
            return SliceDetailsText::tr("next iteration");
        case core::EdgeKind::Inferred:
            return SliceDetailsText::tr("inferred");
        case core::EdgeKind::Framework:
            return SliceDetailsText::tr("framework's own graph");
        }
        return {};
    }

    QString valueText(const QJsonValue &value)
    {
        switch (value.type()) {
        case QJsonValue::String:
            return value.toString();
        case QJsonValue::Array:
            return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
        case QJsonValue::Object:
            return QString::fromUtf8(
                QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
        default:
            return value.toVariant().toString();
        }
    }

    std::vector<std::pair<QString, QString>> argsOf(const std::string &json)
    {
        std::vector<std::pair<QString, QString>> args;
        const QJsonObject object
            = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
        for (auto it = object.begin(); it != object.end(); ++it) {
            args.emplace_back(it.key(), valueText(it.value()));
        }
        if (args.empty() && json.size() > 2) {
            args.emplace_back(QString(), QString::fromStdString(json)); // as it stands
        }
        return args;
    }

    /// Fills what the project itself knows.
    void addFacts(SliceDetails &details, const core::SliceInfo &slice,
                  const core::ProjectReader &reader, std::int64_t originNs)
    {
        const core::ProjectInfo &info = reader.info();
        const ClockMap clocks(info.alignment);
        const core::Track &track = info.tracks[slice.track.value];
        const std::int64_t aligned = clocks.toAligned(slice.worker, slice.startNs);
        auto add = [&details](const QString &label, const QString &value) {
            details.facts.emplace_back(label, value);
        };
        add(SliceDetailsText::tr("Track"),
            rankName(info, slice.worker) + QStringLiteral(" \u00b7 ")
                + QString::fromStdString(track.name));
        add(SliceDetailsText::tr("Category"), fromView(core::categoryName(slice.category)));
        if (slice.phase != core::Phase::None) {
            add(SliceDetailsText::tr("Phase"), fromView(core::phaseName(slice.phase)));
        }
        add(SliceDetailsText::tr("Duration"), formatDuration(slice.durationNs));
        add(SliceDetailsText::tr("Start"), formatInstant(aligned - originNs, 1000));
        // The longest of all values: the unit may go to the next line.
        add(SliceDetailsText::tr("Start, raw clock"),
            QString::number(slice.startNs) + QStringLiteral(" ns"));
        if (slice.bytes > 0 && slice.category == core::Category::CpuOp) {
            add(SliceDetailsText::tr("Input tensors"), formatBytes(slice.bytes));
        } else if (slice.bytes > 0) {
            add(SliceDetailsText::tr("Payload"), formatBytes(slice.bytes));
            if (slice.durationNs > 0) {
                add(SliceDetailsText::tr("Payload / duration"),
                    formatRate(8e3 * static_cast<double>(slice.bytes)
                               / static_cast<double>(slice.durationNs)));
            }
        }
        if (slice.correlation != 0) {
            add(SliceDetailsText::tr("Correlation"), QString::number(slice.correlation));
        }
    }

    void addCollective(SliceDetails &details, core::SliceId slice, const core::Diagnosis &diagnosis)
    {
        for (const core::CollectiveReport &collective : diagnosis.collectives) {
            const auto self
                = std::ranges::find(collective.ranks, slice, &core::CollectiveRankReport::slice);
            if (self == collective.ranks.end()) {
                continue;
            }
            for (const core::CollectiveRankReport &rank : collective.ranks) {
                details.parts.push_back({ rank.slice, rank.rank, rank.waitNs, rank.transferNs,
                                          rank.slice == slice, rank.rank == collective.lastRank });
            }
            details.waitSentence = self->rank == collective.lastRank
                ? SliceDetailsText::tr("Rank %1 came last: the other ranks waited for it.")
                      .arg(self->rank)
                : SliceDetailsText::tr(
                      "Waited %1 for rank %2, which came last; then transferred for %3.")
                      .arg(formatDuration(self->waitNs))
                      .arg(collective.lastRank)
                      .arg(formatDuration(self->transferNs));
            return;
        }
    }

    std::vector<SliceLink> linksTo(const std::vector<GraphLinks::Link> &found,
                                   const core::ProjectReader &reader)
    {
        std::vector<SliceLink> links;
        for (const GraphLinks::Link &link : found) {
            if (const auto slice = reader.slice(link.slice)) {
                const core::Track &track = reader.info().tracks[slice->track.value];
                links.push_back(
                    { link.slice, QString::fromStdString(slice->name),
                      QStringLiteral("%1 \u00b7 %2 \u00b7 %3")
                          .arg(rankName(reader.info(), slice->worker),
                               QString::fromStdString(track.name), inWords(link.kind)) });
            }
        }
        return links;
    }

} // namespace

std::optional<SliceDetails> describeSlice(core::SliceId slice, const core::ProjectReader &reader,
                                          const GraphLinks *links, const core::Diagnosis *diagnosis,
                                          std::int64_t originNs)
{
    constexpr std::size_t MostLinks = 8;
    const auto found = reader.slice(slice);
    if (!found) {
        return std::nullopt;
    }
    SliceDetails details;
    details.name = QString::fromStdString(found->name);
    details.role = core::roleOf(found->category, found->phase);
    addFacts(details, *found, reader, originNs);
    details.args = argsOf(found->args);
    if (diagnosis != nullptr) {
        addCollective(details, slice, *diagnosis);
    }
    if (links == nullptr) {
        details.graphNote = SliceDetailsText::tr("The dependency graph is still being built.");
    } else if (!links->opOf(slice)) {
        details.graphNote = SliceDetailsText::tr(
            "Not in the dependency graph (nested in another op, or without effect on "
            "the schedule).");
    } else {
        details.predecessors = linksTo(links->predecessors(slice, MostLinks), reader);
        details.successors = linksTo(links->successors(slice, MostLinks), reader);
    }
    return details;
}

} // namespace ui
