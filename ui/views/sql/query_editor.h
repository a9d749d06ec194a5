#pragma once

#include <QPlainTextEdit>

class QSyntaxHighlighter;

namespace ui {

/// Where a SQL statement is typed: words, strings and comments look different. Ctrl+Enter runs it;
/// Tab goes on to the next control.
class QueryEditor : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit QueryEditor(QWidget *parent);

signals:
    void runRequested();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QSyntaxHighlighter *m_highlighter;
};

} // namespace ui
