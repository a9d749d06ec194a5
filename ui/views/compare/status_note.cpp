#include "ui/views/compare/status_note.h"

#include "ui/theme/theme.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QLabel>
#include <QScrollBar>
#include <QStyle>

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
    constexpr int Lines = 4, Frame = 2;
    setFixedHeight(Lines * QFontMetrics(uiFont(TextSize::Normal)).lineSpacing() + 2 * space::small
                   + Frame);
}

void StatusNote::showText(const QString &text, bool isError)
{
    m_label->setProperty("textRole",
                         isError ? QStringLiteral("error") : QStringLiteral("secondary"));
    m_label->style()->unpolish(m_label);
    m_label->style()->polish(m_label);
    m_label->setText(breakable(text));
    verticalScrollBar()->setValue(0);
}

} // namespace ui
