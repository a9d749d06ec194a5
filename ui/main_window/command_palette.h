#pragma once

#include <QDialog>
#include <QList>
#include <QString>

#include <optional>

class QAction;
class QLineEdit;
class QListWidget;

namespace ui {

/// How well `pattern` matches `text` as a subsequence, ignoring case: larger is better, starts of
/// words and runs count more; empty for no match. An empty pattern matches everything with 0.
std::optional<int> fuzzyScore(const QString &pattern, const QString &text);

/// A list of the window's actions that is narrowed by typing; Enter runs the marked one.
class CommandPalette : public QDialog
{
    Q_OBJECT

public:
    CommandPalette(const QList<QAction *> &actions, QWidget *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &pattern);
    void runCurrent();

    QList<QAction *> m_actions;
    QLineEdit *m_edit = nullptr;
    QListWidget *m_list = nullptr;
};

} // namespace ui
