#include "ui/help/help_browser.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>

namespace ui {

namespace {

    constexpr int lineHeightPercent = 130;

    /// What Qt's Markdown reader makes of fenced lines; `code` within a line is no block.
    bool isCode(const QTextBlock &block)
    {
        return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
    }

    /// Lines of code and items of a list stand together.
    bool goesOn(const QTextBlock &block, const QTextBlock &next)
    {
        if (isCode(block))
            return isCode(next);
        return block.textList() != nullptr && next.textList() != nullptr;
    }

    QTextBlockFormat formatOf(const QTextBlock &block, const Theme &theme)
    {
        QTextBlockFormat format = block.blockFormat();
        if (isCode(block)) {
            format.setBackground(theme.panel);
            format.setNonBreakableLines(false);
        } else {
            format.setLineHeight(lineHeightPercent, QTextBlockFormat::ProportionalHeight);
        }
        if (format.headingLevel() > 1)
            format.setTopMargin(space::large);
        format.setBottomMargin(goesOn(block, block.next()) ? 0 : space::small);
        return format;
    }

} // namespace

HelpBrowser::HelpBrowser(QWidget *parent)
    : QTextBrowser(parent)
{
    setOpenExternalLinks(true);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(space::large);
}

/// A page that is in sight is laid out once read and once formatted, not again after each line:
/// tables took ten times as long.
void HelpBrowser::doSetSource(const QUrl &name, QTextDocument::ResourceType type)
{
    QTextCursor edit(document());
    edit.beginEditBlock();
    QTextBrowser::doSetSource(name, type);
    edit.endEditBlock();
    edit.beginEditBlock(); // of tables the document knows only now
    formatBlocks();
    formatTables();
    edit.endEditBlock();
    moveCursor(QTextCursor::Start);
}

/// Markdown says nothing about the room around lines.
void HelpBrowser::formatBlocks()
{
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        if (cursor.currentTable() == nullptr)
            cursor.setBlockFormat(formatOf(block, themeOf(palette())));
    }
}

/// Tables of Markdown have no lines and no room in their cells.
void HelpBrowser::formatTables()
{
    const auto frames = document()->rootFrame()->childFrames();
    for (QTextFrame *frame : frames) {
        auto *table = qobject_cast<QTextTable *>(frame);
        if (table == nullptr)
            continue;
        QTextTableFormat format = table->format();
        format.setBorder(1);
        format.setBorderBrush(themeOf(palette()).line);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setCellSpacing(0);
        format.setCellPadding(space::tiny);
        format.setTopMargin(space::small);
        format.setBottomMargin(space::small);
        table->setFormat(format);
    }
}

bool HelpBrowser::findNext(const QString &text)
{
    if (text.isEmpty())
        return false;
    if (find(text))
        return true;
    const QTextCursor before = textCursor();
    moveCursor(QTextCursor::Start);
    if (find(text))
        return true;
    setTextCursor(before);
    return false;
}

/// The colours of links and code are part of the document.
void HelpBrowser::changeEvent(QEvent *event)
{
    QTextBrowser::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || source().isEmpty())
        return;
    const int place = verticalScrollBar()->value();
    reload();
    verticalScrollBar()->setValue(place);
}

} // namespace ui
