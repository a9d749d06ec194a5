#include "ui/timeline/timeline_filter_bar.h"

#include "ui/theme/measures.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_state.h"
#include "ui/widgets/format.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

TimelineFilterBar::TimelineFilterBar(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_edit(new QLineEdit(this))
    , m_chips(new QHBoxLayout)
{
    m_edit->setPlaceholderText(tr("Filter tracks"));
    m_edit->setAccessibleName(tr("Filter tracks"));
    m_edit->setClearButtonEnabled(true);
    m_edit->setToolTip(
        toolTipParagraphs(tr("Show only tracks with this in their names; Enter adds it.\n"
                             "rank 3 is a rank, kind:stream a kind of track.")));
    m_chips->setSpacing(space::tiny);
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(space::small, space::tiny, space::small, space::tiny);
    rows->setSpacing(space::tiny);
    rows->addWidget(m_edit);
    rows->addLayout(m_chips);
    rows->addStretch();
    connect(m_edit, &QLineEdit::returnPressed, this, &TimelineFilterBar::addFilter);
    connect(&state, &TimelineState::arrangementChanged, this, &TimelineFilterBar::showChips);
}

void TimelineFilterBar::addFilter()
{
    const auto filter = parsedFilter(m_edit->text());
    m_edit->clear();
    TrackArrangement arrangement = m_state.arrangement();
    if (filter && std::ranges::find(arrangement.filters, *filter) == arrangement.filters.end()) {
        arrangement.filters.push_back(*filter);
        m_state.setArrangement(std::move(arrangement));
    }
}

template <class Remove>
void TimelineFilterBar::addChip(const QString &text, Remove remove)
{
    constexpr int Padding = 18; ///< of the button, with its gap
    const TrackArrangement &shown = m_state.arrangement();
    const auto chips = static_cast<int>(shown.filters.size() + shown.hidden.size());
    auto *chip = new QToolButton(this);
    chip->setFont(uiFont(TextSize::Small));
    const QString cross = QStringLiteral(" \u00d7");
    const QFontMetrics metrics(chip->font());
    const int room = (width() - 2 * space::small) / std::max(1, chips) - Padding
        - metrics.horizontalAdvance(cross);
    chip->setText(metrics.elidedText(text, Qt::ElideMiddle, std::max(room, 0)) + cross);
    chip->setToolTip(toolTipParagraphs(tr("Remove: %1").arg(text)));
    chip->setAccessibleName(tr("Remove: %1").arg(text));
    chip->setStyleSheet(QStringLiteral("padding: 1px 4px"));
    chip->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(chip, &QToolButton::clicked, this, [this, remove] {
        TrackArrangement arrangement = m_state.arrangement();
        remove(arrangement);
        m_state.setArrangement(std::move(arrangement));
    });
    m_chips->addWidget(chip);
}

void TimelineFilterBar::showChips()
{
    while (QLayoutItem *item = m_chips->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater(); // it may be the one that was clicked
        }
        delete item;
    }
    for (const TrackFilter &filter : m_state.arrangement().filters) {
        addChip(filterText(filter), [filter](TrackArrangement &a) {
            a.filters.erase(std::remove(a.filters.begin(), a.filters.end(), filter),
                            a.filters.end());
        });
    }
    for (const QString &group : m_state.arrangement().hidden) {
        addChip(tr("not %1").arg(group),
                [group](TrackArrangement &a) { a.hidden = withToggled(a.hidden, group); });
    }
    m_chips->addStretch();
}

void TimelineFilterBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) {
        showChips(); // their texts are cut to the room
    }
}

void TimelineFilterBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        m_edit->clear();
        emit left();
    }
    event->accept(); // the timeline's keys do not act while text is typed
}

} // namespace ui
