#include "ui/widgets/state_page.h"

#include "ui/theme/icons.h"
#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace ui {

namespace {

    constexpr int columnWidth = 520;
    constexpr int iconSize = 24;

    QLabel *createParagraph(TextRole role, QWidget *parent)
    {
        QLabel *label = createLabel({}, role, parent);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return label;
    }

} // namespace

StatePage::StatePage(QWidget *parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_title(createParagraph(TextRole::Large, this))
    , m_text(createParagraph(TextRole::Normal, this))
    , m_progress(new QProgressBar(this))
    , m_detail(createParagraph(TextRole::Small, this))
    , m_button(createPrimaryButton({}, this))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);

    auto *column = new QVBoxLayout;
    column->setSpacing(space::small);
    column->addStretch(2);
    column->addWidget(m_icon);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addSpacing(space::tiny);
    column->addWidget(m_progress);
    column->addWidget(m_detail);
    column->addSpacing(space::small);
    column->addWidget(m_button, 0, Qt::AlignLeft);
    column->addStretch(3);

    auto *middle = new QWidget(this);
    middle->setMaximumWidth(columnWidth);
    middle->setMinimumWidth(columnWidth / 2);
    middle->setLayout(column);
    auto *row = new QHBoxLayout(this);
    row->addStretch(1);
    row->addWidget(middle, 4);
    row->addStretch(1);

    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action)
            m_action();
    });
    setProgress(std::nullopt);
    clearAction();
    setDetail({});
}

void StatePage::setState(const QString &iconName, const QString &title, const QString &text,
                         const QString &detail)
{
    m_iconName = iconName;
    updateIcon();
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    setDetail(detail);
}

void StatePage::setProgress(std::optional<double> fraction)
{
    m_progress->setVisible(fraction.has_value());
    if (!fraction)
        return;
    m_progress->setRange(0, *fraction < 0 ? 0 : 1000);
    m_progress->setValue(static_cast<int>(std::lround(*fraction * 1000)));
}

void StatePage::setDetail(const QString &detail)
{
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
}

void StatePage::setAction(const QString &text, std::function<void()> action)
{
    m_action = std::move(action);
    m_button->setText(text);
    m_button->show();
}

void StatePage::clearAction()
{
    m_action = nullptr;
    m_button->hide();
}

void StatePage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        updateIcon();
    QWidget::changeEvent(event);
}

void StatePage::updateIcon()
{
    m_icon->setVisible(!m_iconName.isEmpty());
    if (!m_iconName.isEmpty())
        m_icon->setPixmap(themedIcon(m_iconName, palette()).pixmap(iconSize));
}

} // namespace ui
