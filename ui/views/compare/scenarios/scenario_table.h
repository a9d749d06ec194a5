#pragma once

#include "ui/views/compare/scenarios/scenario_model.h"

#include <QWidget>

class QPushButton;
class QTableView;
class QToolButton;

namespace ui {

class Session;

/// What was tried, as rows to choose what is above and what is below, to keep in the project,
/// rename, delete and save as strategy files.
class ScenarioTable : public QWidget
{
    Q_OBJECT

public:
    ScenarioTable(Session &session, QWidget *parent);

    /// A button that shows and hides it, with the number of scenarios.
    QToolButton *toggle() { return m_toggle; }

signals:
    void told(const QString &message); ///< saved as a file, or why not

private:
    QWidget *createButtons();
    void connectAll();
    void showScenarios();
    void keep();
    void choose(const QModelIndex &index);
    void chooseByKey();
    void updateButtons();
    const Scenario *current() const; ///< null: none is chosen
    void removeCurrent();
    void saveCurrent();

    Session &m_session;
    ScenarioModel *m_model;
    QTableView *m_table;
    QPushButton *m_keep;
    QPushButton *m_rename;
    QPushButton *m_remove;
    QPushButton *m_save;
    QToolButton *m_toggle;
};

} // namespace ui
