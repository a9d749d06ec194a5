#pragma once

#include <QDialog>
#include <QString>

#include <cstddef>
#include <optional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace ui {

/// How well `pattern` matches `text` as a subsequence, ignoring case: larger is better, starts of
/// words and runs count more; empty for no match. An empty pattern matches everything with 0.
std::optional<int> fuzzyScore(const QString &pattern, const QString &text);

struct PickEntry
{
    QString text; ///< what is typed to find it
    QString note = {}; ///< shown behind it
};

/// A list that pops up and is narrowed by typing; Enter or a click picks one. Of very many that
/// match only the best are shown.
class PickList : public QDialog
{
    Q_OBJECT

public:
    /// `prompt`: what the empty line says. Deletes itself when it closes.
    PickList(std::vector<PickEntry> entries, const QString &prompt, QWidget *parent);

    /// Over the upper middle of `window`.
    void popUpOver(const QWidget &window);

signals:
    void picked(std::size_t index); ///< of the entries

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &pattern);
    void pickCurrent();

    std::vector<PickEntry> m_entries;
    QLineEdit *m_edit = nullptr;
    QListWidget *m_list = nullptr;
};

} // namespace ui
