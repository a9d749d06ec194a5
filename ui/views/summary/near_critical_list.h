#pragma once

#include "core/analyze/diagnosis.h"
#include "ui/widgets/text_label.h"

#include <QWidget>

class QGridLayout;

namespace ui {

/// What is nearly critical in the steady state: a line each with its time in an iteration and its
/// slack, whose name shows the place in the timeline.
class NearCriticalList : public QWidget
{
    Q_OBJECT

public:
    NearCriticalList(const core::NearCriticalReport &report, QWidget *parent);

signals:
    void opActivated(core::SliceId slice, core::TimeRange range);

private:
    /// All of them, also those that are not listed.
    static QString csvOf(const core::NearCriticalReport &report);
    void addCell(int row, int column, const QString &text, TextRole role);
    void addOp(int row, const core::NearCriticalOp &op, std::size_t iterations);

    QGridLayout *m_grid = nullptr;
};

} // namespace ui
