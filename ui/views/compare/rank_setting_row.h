#pragma once

#include "ui/views/compare/setting_row.h"

#include <QList>
#include <QWidget>

#include <map>
#include <vector>

class QComboBox;

namespace ui {

/// A setting that ranks, or groups of them, may have each for themselves: the row shows that of the
/// chosen ones.
class RankSettingRow : public QWidget
{
    Q_OBJECT

public:
    RankSettingRow(const QString &title, const QString &hint, const SettingRow::Range &range,
                   QWidget *parent);

    using Ranks = std::vector<int>; ///< ascending

    void setChoices(const QList<Ranks> &choices); ///< values stay until setValues()
    void setRange(const SettingRow::Range &range); ///< while no rank has a value
    void setRecorded(const std::map<Ranks, QString> &recorded); ///< see SettingRow
    std::map<Ranks, double> values() const { return m_values; }
    void setValues(const std::map<Ranks, double> &values); ///< without a signal
    /// The same where each choice is one rank.
    std::map<int, double> valuesByRank() const;
    void setValues(const std::map<int, double> &values);

signals:
    void valueChanged();

private:
    void showChosen();
    void keepChosen();

    QList<Ranks> m_choices; ///< as in the box
    std::map<Ranks, double> m_values;
    std::map<Ranks, QString> m_recorded;
    QComboBox *m_rank;
    SettingRow *m_row;
};

} // namespace ui
