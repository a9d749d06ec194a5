#include "ui/views/import/details_pane.h"

#include "core/base/byte_text.h"
#include "ui/theme/theme.h"
#include "ui/views/import/report_table.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QFontDatabase>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr int excerptHeight = 260;
    constexpr int smallestWidth = 300;

    QLabel *createText(const QString &text, TextRole role, QWidget *parent)
    {
        QLabel *label = createLabel(breakable(text), role, parent);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setMinimumWidth(1); // a long word does not widen the pane
        return label;
    }

} // namespace

DetailsPane::DetailsPane(QWidget *parent)
    : QScrollArea(parent)
{
    setProperty("page", true);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(smallestWidth);
    setAccessibleName(tr("Details"));
    setFrameShape(QFrame::NoFrame);
}

QVBoxLayout *DetailsPane::startPage()
{
    auto *page = new QWidget(this);
    m_column = new QVBoxLayout(page);
    m_column->setContentsMargins(space::large, space::medium, space::large, space::large);
    m_column->setSpacing(space::medium);
    m_note = nullptr;
    m_bytes = nullptr;
    setWidget(page);
    return m_column;
}

void DetailsPane::showText(const QString &text)
{
    QVBoxLayout *column = startPage();
    column->addWidget(createText(text, TextRole::Secondary, widget()));
    column->addStretch(1);
}

void DetailsPane::showDetails(const InputDetails &details, const QList<QAction *> &actions)
{
    startPage();
    m_file = details.file;
    addTitle(details);
    addFile(details);
    if (!details.message.isEmpty())
        m_column->addWidget(createText(details.message, TextRole::Normal, widget()));
    addActions(actions);
    addFacts(details);
    addExcerpt();
    m_column->addStretch(1);
}

void DetailsPane::addTitle(const InputDetails &details)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(space::small);
    auto *mark = new QLabel(widget());
    const QIcon icon
        = details.isGood ? checkIcon(palette()) : severityIcons(palette()).of(details.severity);
    mark->setPixmap(icon.pixmap(24));
    row->addWidget(mark, 0, Qt::AlignTop);
    row->addWidget(createText(details.title, TextRole::Large, widget()), 1);
    m_column->addLayout(row);
}

void DetailsPane::addFile(const InputDetails &details)
{
    if (details.file.empty())
        return;
    QLabel *file = createText(QString::fromStdString(details.file), TextRole::Secondary, widget());
    file->setToolTip(toolTipParagraphs(QString::fromStdString(details.file)));
    m_column->addWidget(file);
}

void DetailsPane::addActions(const QList<QAction *> &actions)
{
    auto *column = new QVBoxLayout;
    column->setSpacing(space::small);
    QHBoxLayout *row = nullptr;
    for (QAction *action : actions) {
        const bool isMain = action == actions.front();
        if (isMain && !action->isEnabled())
            continue;
        QPushButton *button = isMain ? createPrimaryButton(action->text(), widget())
                                     : new QPushButton(action->text(), widget());
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, button,
                [button, action] { button->setEnabled(action->isEnabled()); });
        if (isMain) {
            column->addWidget(button, 0, Qt::AlignLeft);
            continue;
        }
        if (row == nullptr) {
            row = new QHBoxLayout;
            row->setSpacing(space::small);
            column->addLayout(row);
        }
        row->addWidget(button);
    }
    if (row != nullptr)
        row->addStretch(1);
    m_column->addLayout(column);
}

void DetailsPane::addFacts(const InputDetails &details)
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(space::large);
    grid->setVerticalSpacing(space::tiny);
    grid->setColumnStretch(1, 1);
    int line = 0;
    for (const auto &[name, value] : details.facts) {
        QLabel *label = createLabel(name, TextRole::Secondary, widget());
        label->setTextInteractionFlags(Qt::TextSelectableByMouse); // else a pixel below its value
        grid->addWidget(label, line, 0, Qt::AlignTop);
        grid->addWidget(createText(value, TextRole::Normal, widget()), line, 1);
        ++line;
    }
    m_column->addLayout(grid);
}

void DetailsPane::addExcerpt()
{
    m_note = createText({}, TextRole::Secondary, widget());
    m_note->hide();
    m_bytes = new QPlainTextEdit(widget());
    m_bytes->setReadOnly(true);
    m_bytes->setTabChangesFocus(true);
    m_bytes->setAccessibleName(tr("Bytes around the place"));
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(static_cast<int>(TextSize::Small));
    m_bytes->setFont(font);
    m_bytes->setFixedHeight(excerptHeight);
    m_bytes->hide();
    m_column->addWidget(m_note);
    m_column->addWidget(m_bytes);
}

void DetailsPane::showNote(const QString &note)
{
    if (m_note == nullptr)
        return;
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    m_bytes->hide();
}

void DetailsPane::showExcerpt(const ByteExcerpt &excerpt)
{
    if (m_bytes == nullptr)
        return;
    const ShownExcerpt shown = ui::showExcerpt(excerpt);
    const QString byte = formatCount(excerpt.offset);
    showNote(core::countsUncompressed(m_file)
                 ? tr("In the uncompressed data, around byte %1:").arg(byte)
                 : tr("In the file, around byte %1:").arg(byte));
    m_bytes->setWordWrapMode(shown.isHexadecimal ? QTextOption::NoWrap : QTextOption::WrapAnywhere);
    m_bytes->setPlainText(shown.text);
    QTextCursor cursor(m_bytes->document());
    cursor.setPosition(shown.markStart);
    m_bytes->setTextCursor(cursor); // is scrolled to
    cursor.setPosition(shown.markStart + shown.markLength, QTextCursor::KeepAnchor);
    QTextEdit::ExtraSelection mark;
    mark.cursor = cursor;
    const Theme &theme = themeOf(palette());
    mark.format.setBackground(theme.warning);
    mark.format.setForeground(theme.background);
    m_bytes->setExtraSelections({ mark });
    m_bytes->show();
    m_bytes->centerCursor();
}

} // namespace ui
