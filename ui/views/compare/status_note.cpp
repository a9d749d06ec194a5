#include "ui/views/compare/status_note.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QLabel>
#include <QScrollBar>
#include <QStyle>

#include <algorithm>

namespace ui {

StatusNote::StatusNote(QWidget *parent)
    : QScrollArea(parent)
    , m_label(createLabel({}, TextRole::Secondary, this))
{
    m_label->setWordWrap(true);
    m_label->setIndent(0);
    m_label->setContentsMargins(space::large, space::small, space::large, space::small);
    m_label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    setObjectName(QStringLiteral("whatIfStatus")); // a line parts it from the rows
    setAccessibleName(tr("About this prediction"));
    setWidget(m_label);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    hide();
}

void StatusNote::showText(const QString &text, bool isError)
{
    m_label->setProperty("textRole",
                         isError ? QStringLiteral("error") : QStringLiteral("secondary"));
    m_label->style()->unpolish(m_label);
    m_label->style()->polish(m_label);
    m_label->setText(breakable(text));
    setVisible(!text.isEmpty());
    verticalScrollBar()->setValue(0);
    fit();
}

void StatusNote::fitInto(const QSize &room)
{
    m_room = room;
    fit();
}

void StatusNote::fit()
{
    constexpr int Lines = 2; // of the frame
    const int most = m_room.height() * 2 / 5;
    const int whole = m_label->heightForWidth(m_room.width()) + Lines;
    setFixedHeight(std::max(0, std::min(whole, most)));
}

} // namespace ui
