#pragma once

#include "core/change/change_list.h"
#include "core/fit/links/link_model.h"
#include "ui/views/compare/setting_row.h"

#include <QPointer>
#include <QString>
#include <QWidget>

#include <set>
#include <string>
#include <vector>

class QCheckBox;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace ui {

class GivenFactsBox;
class RankSettingRow;
class StatusNote;
class TextRow;
class UnusableSettings;
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
    /// Scrolls to the first setting of the strategy and marks it shortly; later, if the panel is
    /// hidden.
    void revealSettings(const core::Strategy &strategy);
    /// What the job is like, whom changes can name, and what cannot be predicted on this trace,
    /// which is folded at the end, with the reason.
    void setFacts(const core::ChangeFacts &facts);
    /// The links that were fitted from the trace.
    void showLinks(const std::vector<core::LinkModel> &links);
    /// "predicting...", an error, or that a prediction changes nothing. Empty: what to do first.
    void showStatus(const QString &text, bool isError);

    GivenFactsBox &given() { return *m_given; } ///< fields for what the trace lacks

signals:
    void strategyChanged();

protected:
    void showEvent(QShowEvent *event) override;

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
        QString obstacle; ///< why the trace does not support it; empty: it does
        QString toolTip; ///< where nothing hinders it

        QWidget *main() const; ///< its first widget
    };
    /// The heading of a group, which goes where none of its rows is seen.
    struct Heading
    {
        core::ChangeGroup group;
        QLabel *label;
    };

    void placeRows();
    void addGroup(QVBoxLayout &layout, core::ChangeGroup group);
    QHBoxLayout *createHead();
    void addRow(QVBoxLayout &layout, const core::ChangeTraits &traits);
    void addNumber(QVBoxLayout &layout, Row &row);
    void changed(const std::string &key);
    void showMeasured(Row &row, const core::Strategy &measured);
    void showChoices(Row &row);
    void showObstacles(const core::ChangeObstacles &obstacles);
    /// Rows that the trace does not support are seen only where they are set.
    void showUsableRows();
    QWidget *firstSet(const core::Strategy &strategy) const; ///< null: none
    void showRevealed();

    std::vector<Row> m_changes;
    std::vector<Heading> m_headings;
    UnusableSettings *m_unusable;
    GivenFactsBox *m_given;
    QWidget *m_rows; ///< scrolled
    QScrollArea *m_scroll = nullptr;
    QPointer<QWidget> m_revealed; ///< to scroll to
    QPushButton *m_presets = nullptr;
    QLabel *m_link;
    StatusNote *m_status;
};

} // namespace ui
