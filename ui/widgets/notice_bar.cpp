#include "ui/widgets/notice_bar.h"

#include "ui/theme/icons.h"
#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace ui {

NoticeBar::NoticeBar(QWidget *parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_text(createLabel({}, TextRole::Normal, this))
    , m_links(new QHBoxLayout)
    , m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("noticeBar"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_close->setToolTip(tr("Dismiss"));
    m_close->setAccessibleName(tr("Dismiss"));

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space::large, space::tiny, space::small, space::tiny);
    row->setSpacing(space::small);
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    m_links->setSpacing(space::small);
    row->addLayout(m_links);
    row->addWidget(m_close);

    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    updateIcons();
    hide();
}

void NoticeBar::showNotice(const QString &text, const std::vector<NoticeLink> &links)
{
    m_text->setText(text);
    while (QLayoutItem *old = m_links->takeAt(0)) {
        old->widget()->hide();
        old->widget()->deleteLater(); // it may be what was clicked
        delete old;
    }
    for (const NoticeLink &link : links) {
        QPushButton *button = createLink(link.text, this);
        connect(button, &QPushButton::clicked, this, link.onClick);
        m_links->addWidget(button);
    }
    show();
}

QString NoticeBar::text() const
{
    return m_text->text();
}

void NoticeBar::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        updateIcons();
    QFrame::changeEvent(event);
}

void NoticeBar::updateIcons()
{
    m_icon->setPixmap(themedIcon(QStringLiteral("info"), palette()).pixmap(16));
    m_close->setIcon(themedIcon(QStringLiteral("close"), palette()));
}

} // namespace ui
