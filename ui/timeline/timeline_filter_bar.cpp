#include "ui/timeline/timeline_filter_bar.h"

#include "ui/theme/measures.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_state.h"
#include "ui/widgets/format.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

    constexpr int MoreWidth = 44; ///< of "+99" with its arrow

} // namespace

std::size_t fittingChips(const std::vector<int> &widths, int room, int gap, int moreWidth)
{
    std::size_t fitting = 0;
    int taken = 0; // with the gap behind each
    for (std::size_t i = 0; i < widths.size(); ++i) {
        taken += widths[i] + gap;
        const int behind = i + 1 < widths.size() ? moreWidth : -gap;
        if (taken + behind <= room || i == 0) { // the first one is cut where it must be
            fitting = i + 1;
        }
    }
    return fitting;
}

TimelineFilterBar::TimelineFilterBar(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_edit(new QLineEdit(this))
    , m_chips(new QHBoxLayout)
{
    m_edit->setPlaceholderText(tr("Filter tracks"));
    m_edit->setAccessibleName(tr("Filter tracks"));
    m_edit->setClearButtonEnabled(true);
    m_edit->installEventFilter(this);
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
    m_edit->setText({}); // with its history: an undo takes the filter back, not the typing
    TrackArrangement arrangement = m_state.arrangement();
    if (filter && std::ranges::find(arrangement.filters, *filter) == arrangement.filters.end()) {
        arrangement.filters.push_back(*filter);
        m_state.setArrangement(std::move(arrangement));
    }
}

std::vector<TrackChip> TimelineFilterBar::chips() const
{
    const TrackArrangement &shown = m_state.arrangement();
    std::vector<TrackChip> chips;
    chips.reserve(shown.filters.size() + shown.hidden.size());
    for (const TrackFilter &filter : shown.filters) {
        chips.push_back({ filterText(filter), shown });
        std::erase(chips.back().without.filters, filter);
    }
    for (const QString &group : shown.hidden) {
        chips.push_back({ tr("not %1").arg(group), shown });
        std::erase(chips.back().without.hidden, group);
    }
    return chips;
}

QToolButton *TimelineFilterBar::newChip(const QString &text)
{
    auto *chip = new QToolButton(this);
    chip->setFont(uiFont(TextSize::Small));
    chip->setStyleSheet(QStringLiteral("QToolButton { padding: 1px 4px; border: 1px solid "
                                       "palette(mid); border-radius: 4px }"
                                       "QToolButton::menu-indicator { image: none }"));
    chip->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    chip->setText(text);
    chip->ensurePolished();
    return chip;
}

void TimelineFilterBar::replace(const TrackArrangement &arrangement)
{
    m_state.setArrangement(TrackArrangement(arrangement)); // its owner goes with the chip
}

void TimelineFilterBar::addMore(const std::vector<TrackChip> &chips, std::size_t first)
{
    QToolButton *more = newChip(QStringLiteral("+%1").arg(chips.size() - first));
    auto *menu = new QMenu(more);
    for (std::size_t i = first; i < chips.size(); ++i) {
        QString text = tr("Remove: %1").arg(chips[i].text);
        menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")), this,
                        [this, without = chips[i].without] { replace(without); });
    }
    more->setMenu(menu);
    more->setPopupMode(QToolButton::InstantPopup);
    more->setAccessibleName(tr("More filters"));
    more->setToolTip(toolTipParagraphs(tr("More filters")));
    m_chips->addWidget(more);
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
    const std::vector<TrackChip> all = chips();
    const QString cross = QStringLiteral(" \u00d7");
    const int room = width() - 2 * space::small;
    std::vector<QToolButton *> buttons;
    std::vector<int> widths;
    buttons.reserve(all.size());
    widths.reserve(all.size());
    for (const TrackChip &chip : all) {
        QToolButton *button = buttons.emplace_back(newChip(chip.text + cross));
        button->setToolTip(toolTipParagraphs(tr("Remove: %1").arg(chip.text)));
        button->setAccessibleName(tr("Remove: %1").arg(chip.text));
        connect(button, &QToolButton::clicked, this,
                [this, without = chip.without] { replace(without); });
        widths.push_back(button->sizeHint().width());
    }
    const int moreWidth = all.size() < 2 ? 0 : MoreWidth;
    const std::size_t fitting = fittingChips(widths, room, space::tiny, moreWidth);
    for (std::size_t i = 0; i < buttons.size(); ++i) {
        if (i >= fitting) {
            delete buttons[i];
            continue;
        }
        const int most = fitting < all.size() ? room - moreWidth - space::tiny : room;
        if (widths[i] > most) { // the only one
            const QFontMetrics metrics(buttons[i]->font());
            const int text = metrics.horizontalAdvance(all[i].text) - (widths[i] - most);
            buttons[i]->setText(metrics.elidedText(all[i].text, Qt::ElideMiddle, std::max(0, text))
                                + cross);
        }
        m_chips->addWidget(buttons[i]);
    }
    if (fitting < all.size()) {
        addMore(all, fitting);
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

/// An empty box has nothing to undo: the key is the window's.
bool TimelineFilterBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::ShortcutOverride
        && m_edit->text().isEmpty()) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ui
