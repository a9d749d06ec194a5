#pragma once

#include <QObject>

class QTableView;

namespace ui {

/// Gives a column of names the width that the others leave, and never less than `leastPx`: in a
/// narrow window the table scrolls, and names stay readable. Lives as long as the table.
class NameColumnFit : public QObject
{
    Q_OBJECT

public:
    NameColumnFit(QTableView *table, int column, int leastPx);

    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();

    QTableView *m_table;
    int m_column;
    int m_leastPx;
};

} // namespace ui
