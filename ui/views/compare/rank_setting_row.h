#pragma once

#include "ui/views/compare/setting_row.h"

#include <QList>
#include <QWidget>

#include <map>

class QComboBox;

namespace ui {

/// A setting that ranks may have each for themselves: the row shows that of the chosen rank.
class RankSettingRow : public QWidget
{
    Q_OBJECT

public:
    RankSettingRow(const QString &title, const QString &hint, const SettingRow::Range &range,
                   QWidget *parent);

    void setRanks(const QList<int> &ranks); ///< values stay until setValues()
    void setRange(const SettingRow::Range &range); ///< while no rank has a value
    std::map<int, double> values() const { return m_values; } ///< by rank
    void setValues(const std::map<int, double> &values); ///< without a signal

signals:
    void valueChanged();

private:
    void showChosen();
    void keepChosen();

    std::map<int, double> m_values;
    QComboBox *m_rank;
    SettingRow *m_row;
};

} // namespace ui
