#pragma once

#include "core/analyze/diagnosis.h"

#include <QWidget>

namespace ui {

/// What is nearly critical in the steady state: a line each with its time and slack, which shows
/// the place in the timeline.
class NearCriticalList : public QWidget
{
    Q_OBJECT

public:
    NearCriticalList(const core::NearCriticalReport &report, QWidget *parent);

signals:
    void opActivated(core::SliceId slice, core::TimeRange range);
};

} // namespace ui
