#include "ui/views/sql/query_editor.h"

#include "ui/theme/theme.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextDocument>

#include <array>

namespace ui {

namespace {

    /// SQLite's keywords that queries use.
    const QRegularExpression &sqlWords()
    {
        static const QRegularExpression words(
            QStringLiteral("\\b(SELECT|FROM|WHERE|GROUP|BY|ORDER|HAVING|LIMIT|OFFSET|AS|ON|JOIN|"
                           "LEFT|INNER|CROSS|USING|AND|OR|NOT|IN|IS|NULL|LIKE|GLOB|BETWEEN|CASE|"
                           "WHEN|THEN|ELSE|END|DISTINCT|UNION|ALL|EXCEPT|INTERSECT|WITH|RECURSIVE|"
                           "OVER|PARTITION|ASC|DESC|EXISTS|VALUES|PRAGMA)\\b"),
            QRegularExpression::CaseInsensitiveOption);
        return words;
    }

    class SqlHighlighter : public QSyntaxHighlighter
    {
    public:
        SqlHighlighter(QTextDocument *document, const QWidget &widget)
            : QSyntaxHighlighter(document)
            , m_widget(widget)
        {
        }

    protected:
        void highlightBlock(const QString &text) override
        {
            const Theme &theme = themeOf(m_widget.palette());
            QTextCharFormat word, string, comment;
            word.setFontWeight(QFont::Bold);
            string.setForeground(theme.role(core::Role::Communication));
            comment.setForeground(theme.secondaryText);
            comment.setFontItalic(true);
            const std::array<std::pair<QRegularExpression, QTextCharFormat>, 3> kinds {
                { { sqlWords(), word },
                  { QRegularExpression(QStringLiteral("'[^']*'")), string },
                  { QRegularExpression(QStringLiteral("--.*$")), comment } }
            };
            for (const auto &[pattern, format] : kinds)
                for (auto match = pattern.globalMatch(text); match.hasNext();) {
                    const QRegularExpressionMatch found = match.next();
                    setFormat(static_cast<int>(found.capturedStart()),
                              static_cast<int>(found.capturedLength()), format);
                }
        }

    private:
        const QWidget &m_widget;
    };

} // namespace

QueryEditor::QueryEditor(QWidget *parent)
    : QPlainTextEdit(parent)
    , m_highlighter(new SqlHighlighter(document(), *this))
{
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTabChangesFocus(true);
    setAccessibleName(tr("SQL statement"));
    setPlaceholderText(tr("SELECT name, count(*), sum(dur_ns) FROM slice GROUP BY name"));
}

void QueryEditor::keyPressEvent(QKeyEvent *event)
{
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && event->modifiers().testFlag(Qt::ControlModifier)) {
        emit runRequested();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

void QueryEditor::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        m_highlighter->rehighlight();
}

} // namespace ui
