#pragma once

#include "core/change/change_list.h"
#include "core/fit/links/link_model.h"
#include "ui/views/compare/setting_row.h"

#include <QList>
#include <QWidget>

#include <set>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ui {

class RankSettingRow;
class StatusNote;
class TextRow;
class WordRow;

/// The changes of the what-if, a row for each that core knows, with the measured values they start
/// from.
class WhatIfPanel : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfPanel(QWidget *parent);

    core::Strategy strategy() const;
    void setStrategy(const core::Strategy &strategy); ///< without a signal
    void setUsable(bool usable);
    /// What the job is like, whom changes can name, and what cannot be predicted on this trace,
    /// which is disabled and said.
    void setFacts(const core::ChangeFacts &facts);
    /// The links that were fitted from the trace.
    void showLinks(const std::vector<core::LinkModel> &links);
    /// "predicting...", an error, or how far a prediction is trusted; empty: nothing.
    void showStatus(const QString &text, bool isError);

    /// Whether there is a prediction to keep as reference.
    void setKeepable(bool keepable);
    /// "Predicted with ...", what predictions are compared with; empty: the measurement.
    void showReference(const QString &text);

signals:
    void strategyChanged();
    /// Kept: what is predicted now is compared with later; else the measurement is.
    void referenceRequested(bool isKept);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    /// The widgets of one change.
    struct Row
    {
        core::ChangeTraits traits;
        SettingRow *number = nullptr;
        RankSettingRow *ofRanks = nullptr;
        QCheckBox *box = nullptr;
        WordRow *word = nullptr;
        TextRow *text = nullptr;
        std::set<std::vector<int>> choices, shownChoices; ///< of ofRanks; these and what is set
    };
    /// Widgets of a kind of change, and the label behind them that tells why some cannot be used.
    struct Hindered
    {
        QList<std::pair<std::string, QWidget *>> widgets; ///< by key
        QStringList toolTips; ///< of the widgets, where nothing hinders them
        QLabel *label;
    };

    void placeRows();
    void addGroup(QVBoxLayout &layout, core::ChangeGroup group);
    void addKind(QVBoxLayout &layout, const core::ChangeKind &kind, core::ChangeGroup group);
    QList<QWidget *> addRow(QVBoxLayout &layout, const core::ChangeTraits &traits);
    void addNumber(QVBoxLayout &layout, Row &row);
    void changed(const std::string &key);
    void showMeasured(Row &row, const core::Strategy &measured);
    void showChoices(Row &row);
    void showObstacles(const core::ChangeObstacles &obstacles);

    std::vector<Row> m_changes;
    std::vector<Hindered> m_hindered;
    QWidget *m_rows; ///< scrolled
    QLabel *m_reference;
    QPushButton *m_presets = nullptr;
    QPushButton *m_keep;
    bool m_isKeepable = false;
    QLabel *m_link;
    StatusNote *m_status;
};

} // namespace ui
