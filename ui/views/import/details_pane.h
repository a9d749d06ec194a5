#pragma once

#include "ui/views/import/byte_excerpt.h"
#include "ui/views/import/input_details.h"

#include <QScrollArea>

class QAction;
class QLabel;
class QPlainTextEdit;
class QVBoxLayout;

namespace ui {

/// The whole message of one diagnostic or file, what can be done, and the bytes around the place.
class DetailsPane : public QScrollArea
{
    Q_OBJECT

public:
    explicit DetailsPane(QWidget *parent);

    /// Each action becomes a button, the first one the page's main one; one that is disabled then
    /// and there is left out.
    void showDetails(const InputDetails &details, const QList<QAction *> &actions);
    /// Instead of details: what to do.
    void showText(const QString &text);
    /// Below the details: why there are no bytes to be seen, or that they are being read.
    void showNote(const QString &note);
    void showExcerpt(const ByteExcerpt &excerpt);

private:
    QVBoxLayout *startPage();
    void addTitle(const InputDetails &details);
    void addFile(const InputDetails &details);
    void addActions(const QList<QAction *> &actions);
    void addFacts(const InputDetails &details);
    void addExcerpt();

    std::string m_file; ///< of the details
    QVBoxLayout *m_column = nullptr;
    QLabel *m_note = nullptr;
    QPlainTextEdit *m_bytes = nullptr;
};

} // namespace ui
