#pragma once

#include "ui/models/input_summary.h"

#include <QWidget>

#include <array>
#include <memory>

class QLabel;
class QLineEdit;
class QStackedLayout;
class QToolButton;

namespace ui {

class DiagnosticsFilter;
class DiagnosticsModel;
class ReportTable;

/// The diagnostics of an import, errors first, with filters by severity and text.
class ProblemList : public QWidget
{
    Q_OBJECT

public:
    explicit ProblemList(QWidget *parent);

    void setSnapshot(const std::shared_ptr<const InputSummary> &snapshot);
    ReportTable &table() const { return *m_table; }
    /// Of the selected row; null: there is none.
    const core::Diagnostic *selected() const;
    void selectFirst();
    void focusFilter();

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *createToolBar();
    void setUpTable();
    void updateIcons();
    void updatePage();

    DiagnosticsModel *m_model = nullptr;
    DiagnosticsFilter *m_filter = nullptr;
    ReportTable *m_table = nullptr;
    QLabel *m_empty = nullptr;
    QLineEdit *m_text = nullptr;
    std::array<QToolButton *, 3> m_severities {}; ///< by core::Severity
    QStackedLayout *m_pages = nullptr;
};

} // namespace ui
