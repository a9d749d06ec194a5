#include "ui/help/help_window.h"

#include "ui/help/help_browser.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QShortcut>
#include <QSplitter>
#include <QToolButton>

namespace ui {

namespace {

    constexpr QSize windowSize(960, 720);
    constexpr int contentsWidth = 180;
    constexpr int findWidth = 220;

    QToolButton *createArrow(Qt::ArrowType arrow, const QString &name, QWidget *parent)
    {
        auto *button = new QToolButton(parent);
        button->setArrowType(arrow);
        button->setToolTip(toolTipParagraphs(name));
        button->setAccessibleName(name);
        button->setEnabled(false);
        return button;
    }

} // namespace

HelpWindow::HelpWindow(QWidget *parent)
    : QWidget(parent, Qt::Window)
    , m_pages(helpPages())
{
    setWindowTitle(tr("Longpole Help"));
    setProperty("page", true);
    resize(windowSize);
    auto *columns = new QSplitter(Qt::Horizontal, this);
    columns->addWidget(createContents());
    columns->addWidget(createReader());
    columns->setStretchFactor(1, 1);
    columns->setChildrenCollapsible(false);
    columns->setSizes({ contentsWidth, windowSize.width() - contentsWidth });
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(columns);
    createKeys();
    connect(m_contents, &QListWidget::currentRowChanged, this,
            [this](int row) { showPage(m_pages.value(row).id); });
    connect(m_browser, &QTextBrowser::sourceChanged, this, &HelpWindow::select);
    showPage({});
}

QWidget *HelpWindow::createContents()
{
    m_contents = new QListWidget(this);
    m_contents->setObjectName(QStringLiteral("helpContents"));
    m_contents->setAccessibleName(tr("Pages"));
    for (const HelpPage &page : m_pages) {
        m_contents->addItem(page.title);
        m_contents->item(m_contents->count() - 1)->setSizeHint({ 0, comfortableRowHeight });
    }
    return m_contents;
}

QWidget *HelpWindow::createReader()
{
    auto *reader = new QWidget(this);
    m_browser = new HelpBrowser(reader);
    m_browser->setAccessibleName(tr("Page"));
    auto *column = new QVBoxLayout(reader);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(createBar(reader));
    column->addWidget(m_browser, 1);
    return reader;
}

QLayout *HelpWindow::createBar(QWidget *reader)
{
    QToolButton *back = createArrow(Qt::LeftArrow, tr("Back"), reader);
    QToolButton *forward = createArrow(Qt::RightArrow, tr("Forward"), reader);
    connect(back, &QToolButton::clicked, m_browser, &QTextBrowser::backward);
    connect(forward, &QToolButton::clicked, m_browser, &QTextBrowser::forward);
    connect(m_browser, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
    connect(m_browser, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);
    m_findNote = createLabel({}, TextRole::Secondary, reader);
    m_find = new QLineEdit(reader);
    m_find->setPlaceholderText(tr("Find on this page"));
    m_find->setAccessibleName(tr("Find on this page"));
    m_find->setFixedWidth(findWidth);
    connect(m_find, &QLineEdit::returnPressed, this, &HelpWindow::findText);
    connect(m_find, &QLineEdit::textChanged, m_findNote, &QLabel::clear);

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(space::small, space::tiny, space::small, space::tiny);
    bar->addWidget(back);
    bar->addWidget(forward);
    bar->addStretch(1);
    bar->addWidget(m_findNote);
    bar->addWidget(m_find);
    return bar;
}

void HelpWindow::createKeys()
{
    const auto onKey = [this](const QKeySequence &key, auto action) {
        connect(new QShortcut(key, this), &QShortcut::activated, this, action);
    };
    onKey(QKeySequence::Find, [this] {
        m_find->setFocus();
        m_find->selectAll();
    });
    onKey(QKeySequence::FindNext, [this] { findText(); });
    onKey(QKeySequence::Cancel, [this] { close(); });
}

void HelpWindow::showPage(const QString &id)
{
    QUrl source = m_pages.front().source;
    for (const HelpPage &page : m_pages)
        if (page.id == id)
            source = page.source;
    if (m_browser->source() != source)
        m_browser->setSource(source, QTextDocument::MarkdownResource);
}

/// Links lead to other pages, too. The browser's source is still the one before.
void HelpWindow::select(const QUrl &page)
{
    const QSignalBlocker blocker(m_contents);
    for (qsizetype i = 0; i < m_pages.size(); ++i)
        if (m_pages[i].source == page)
            m_contents->setCurrentRow(static_cast<int>(i));
}

void HelpWindow::findText()
{
    const bool isFound = m_find->text().isEmpty() || m_browser->findNext(m_find->text());
    m_findNote->setText(isFound ? QString() : tr("not found"));
}

QStringList HelpWindow::screenshotStates() const
{
    QStringList states;
    for (const HelpPage &page : m_pages.mid(1))
        states << page.id;
    return states;
}

void HelpWindow::enterScreenshotState(const QString &state)
{
    showPage(state);
}

} // namespace ui
