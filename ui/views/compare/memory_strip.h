#pragma once

#include "core/predict/peak_memory.h"

#include <QWidget>

#include <memory>

class QPushButton;
class QTableView;

namespace ui {

class ElidedLabel;
class PeakMemoryModel;

/// The peak memory in one line and, where there are several devices, a table of them on demand.
class MemoryStrip : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryStrip(QWidget *parent);

    /// Null: nothing is known yet, and nothing is shown.
    void setMemory(std::shared_ptr<const core::PeakMemory> memory);
    /// Shows the table, if there are several devices.
    void setExpanded(bool expanded);

private:
    void showTable();

    ElidedLabel *m_line;
    QPushButton *m_more;
    PeakMemoryModel *m_model;
    QTableView *m_table;
    bool m_isExpanded = false;
};

} // namespace ui
