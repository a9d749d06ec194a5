#include "ui/views/compare/twins/op_details.h"

#include "ui/theme/measures.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QStringList>
#include <QVBoxLayout>

#include <cstdlib>

namespace ui {
namespace {

    struct TwinWords
    {
        Q_DECLARE_TR_FUNCTIONS(TwinWords)
    };

    std::int64_t startOf(const ComparedOp &op)
    {
        return op.box.startNs - op.originNs;
    }

    std::int64_t durationOf(const ComparedOp &op)
    {
        return op.box.endNs - op.box.startNs;
    }

    QString durationWords(std::int64_t above, std::int64_t below)
    {
        if (formatDuration(above) == formatDuration(below))
            return TwinWords::tr("takes as long");
        const QString size = formatDuration(std::abs(below - above));
        return (below < above ? TwinWords::tr("takes %1 less") : TwinWords::tr("takes %1 more"))
            .arg(size);
    }

    /// "at 88.10 ms for 400.0 ms, of which 3.000 ms waiting".
    QString timesOf(const ComparedOp &op)
    {
        const QString times = TwinWords::tr("at %1 for %2")
                                  .arg(formatDuration(startOf(op)), formatDuration(durationOf(op)));
        return op.box.waitNs > 0
            ? TwinWords::tr("%1, of which %2 waiting").arg(times, formatDuration(op.box.waitNs))
            : times;
    }

    QString placeOf(const ComparedOp &op)
    {
        return TwinWords::tr("%1 (%2, %3)").arg(op.name, op.track.group, op.track.name);
    }

} // namespace

QString twinDifference(const ComparedOp &above, const ComparedOp &below)
{
    const std::int64_t moved = startOf(below) - startOf(above);
    QStringList words;
    if (formatDuration(startOf(above)) == formatDuration(startOf(below)))
        words << TwinWords::tr("starts at the same time");
    else
        words << (moved < 0 ? TwinWords::tr("starts %1 earlier") : TwinWords::tr("starts %1 later"))
                     .arg(formatDuration(std::abs(moved)));
    words << durationWords(durationOf(above), durationOf(below));
    const std::int64_t waits = below.box.waitNs - above.box.waitNs;
    if (formatDuration(above.box.waitNs) != formatDuration(below.box.waitNs))
        words << (waits < 0 ? TwinWords::tr("waits %1 less") : TwinWords::tr("waits %1 more"))
                     .arg(formatDuration(std::abs(waits)));
    return words.join(QStringLiteral(", "));
}

OpDetails::OpDetails(QWidget *parent)
    : QWidget(parent)
    , m_difference(new ElidedLabel(TextRole::Normal, this))
    , m_times(new ElidedLabel(TextRole::Secondary, this))
{
    setAccessibleName(tr("The selected operation and its twin"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(space::large, space::tiny, space::large, space::tiny);
    column->setSpacing(0);
    column->addWidget(m_difference);
    column->addWidget(m_times);
    setOps(std::nullopt, std::nullopt, {});
}

void OpDetails::setOps(const std::optional<ComparedOp> &above,
                       const std::optional<ComparedOp> &below, const QString &titleAbove)
{
    if (above && below) {
        m_difference->setFullText(
            tr("%1: predicted, it %2").arg(placeOf(*above), twinDifference(*above, *below)));
        m_times->setFullText(
            tr("%1: %2. Predicted: %3.").arg(titleAbove, timesOf(*above), timesOf(*below)));
    } else if (above || below) {
        const ComparedOp &one = above ? *above : *below;
        m_difference->setFullText(placeOf(one));
        m_times->setFullText(tr("%1: %2. The other timeline has no such operation of its own.")
                                 .arg(above ? titleAbove : tr("Predicted"), timesOf(one)));
    } else {
        m_difference->setFullText(tr("No operation is selected."));
        m_times->setFullText(
            tr("A click selects one and its twin in the other timeline; here is what differs."));
    }
}

} // namespace ui
