#include "ui/widgets/value_label.h"

#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>

namespace ui {

ValueLabel::ValueLabel(const QString &text, QWidget *parent)
    : QLabel(text, parent)
{
    setTextRole(*this, TextRole::Normal);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
}

void ValueLabel::copy() const
{
    QGuiApplication::clipboard()->setText(unbroken(selectedText()));
}

void ValueLabel::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy) && hasSelectedText())
        copy();
    else
        QLabel::keyPressEvent(event);
}

/// Where what is marked is pasted by the middle button.
void ValueLabel::mouseReleaseEvent(QMouseEvent *event)
{
    QLabel::mouseReleaseEvent(event);
    QClipboard *clipboard = QGuiApplication::clipboard();
    if (hasSelectedText() && clipboard->supportsSelection())
        clipboard->setText(unbroken(selectedText()), QClipboard::Selection);
}

void ValueLabel::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction *copied = menu->addAction(tr("Copy"));
    copied->setEnabled(hasSelectedText());
    connect(copied, &QAction::triggered, this, &ValueLabel::copy);
    connect(menu->addAction(tr("Select all")), &QAction::triggered, this,
            [this] { setSelection(0, static_cast<int>(text().size())); });
    menu->popup(event->globalPos());
    event->accept();
}

} // namespace ui
