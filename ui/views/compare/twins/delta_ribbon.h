#pragma once

#include "core/base/time_range.h"
#include "ui/timeline/timeline_state.h"
#include "ui/views/compare/twins/op_twins.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <vector>

namespace ui {

class TimelineWidget;

/// An op in two timelines, as a ribbon joins it; times from the origin of each.
struct RibbonPair
{
    std::uint64_t aboveId = 0;
    std::size_t track = 0; ///< row in both
    core::TimeRange above, below;

    std::int64_t movedNs() const { return below.startNs - above.startNs; } ///< below 0: earlier
};

/// The ops of `group` that are seen above and have a twin below, in order of time: of every few
/// pixels the longest one, so that their number is bounded by the width. Of a rank with an
/// accelerator only its streams and communication count.
std::vector<RibbonPair> ribbonPairs(const TimelineState &above, const TimelineState &below,
                                    const OpTwins &twins, const QString &group);

/// The band between two timelines: it joins each op above with its twin below. Upright is
/// unchanged; what leans left starts earlier, what leans right later.
class DeltaRibbon : public QWidget
{
    Q_OBJECT

public:
    /// The timelines must outlive it.
    DeltaRibbon(TimelineWidget &above, TimelineWidget &below, QWidget *parent);

    void setTwins(std::shared_ptr<const OpTwins> twins); ///< null: it is hidden
    const std::vector<RibbonPair> &pairs(); ///< that are seen

signals:
    void chosen(std::uint64_t aboveId); ///< by a click

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    void markStale();
    QString group() const; ///< of the selection, else the uppermost that is seen
    const RibbonPair *pairAt(QPointF point);
    double xOf(std::int64_t ns) const; ///< of a time from the origin

    TimelineWidget &m_above;
    TimelineWidget &m_below;
    std::shared_ptr<const OpTwins> m_twins;
    std::vector<RibbonPair> m_pairs;
    QString m_group; ///< of m_pairs
    bool m_isStale = true;
};

} // namespace ui
