#pragma once

#include "ui/timeline/timeline_source.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <optional>

namespace ui {

class ElidedLabel;

/// An op of one of two timelines.
struct ComparedOp
{
    QString name;
    TimelineTrack track;
    TimelineBox box;
    std::int64_t originNs = 0; ///< of its timeline: the shown iteration's start
};

/// "starts 12.30 ms earlier, takes 1.200 ms less": the op below against its twin above, each from
/// its own origin.
QString twinDifference(const ComparedOp &above, const ComparedOp &below);

/// The op selected in one of two timelines, its twin in the other, and the difference: two lines
/// below them that are always there.
class OpDetails : public QWidget
{
    Q_OBJECT

public:
    explicit OpDetails(QWidget *parent);

    /// `titleAbove`: "Measured" or "Reference".
    void setOps(const std::optional<ComparedOp> &above, const std::optional<ComparedOp> &below,
                const QString &titleAbove);

private:
    ElidedLabel *m_difference;
    ElidedLabel *m_times;
};

} // namespace ui
