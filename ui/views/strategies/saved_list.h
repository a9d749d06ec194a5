#pragma once

#include <QWidget>

#include <cstdint>
#include <optional>

class QLabel;
class QListWidget;
class QPushButton;

namespace ui {

class StrategyShelf;

/// The strategies that are saved in the project: to choose, rename and delete.
class SavedList : public QWidget
{
    Q_OBJECT

public:
    SavedList(StrategyShelf &shelf, QWidget *parent);

    std::optional<std::int64_t> chosen() const; ///< its id
    void clearChoice(); ///< without a signal

signals:
    void strategyChosen(std::int64_t id);

private:
    void showStrategies();
    void updateButtons();
    void removeChosen();

    StrategyShelf &m_shelf;
    QListWidget *m_list;
    QLabel *m_none;
    QPushButton *m_rename;
    QPushButton *m_remove;
};

} // namespace ui
