#include "ui/timeline/empty_rows_note.h"

#include "ui/theme/measures.h"
#include "ui/timeline/timeline_state.h"
#include "ui/widgets/text_label.h"

#include <QCoreApplication>
#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

    struct EmptyRowsWords
    {
        Q_DECLARE_TR_FUNCTIONS(EmptyRowsNote)
    };

} // namespace

QString emptyRowsText(const TimelineState &state)
{
    const TrackArrangement &arrangement = state.arrangement();
    const bool isArranged = !arrangement.filters.empty() || !arrangement.hidden.empty();
    if (state.source() == nullptr || !isArranged
        || !std::ranges::all_of(state.source()->tracks(), [](const TimelineTrack &track) {
               return track.isAlone || track.counter;
           })) {
        return {};
    }
    if (arrangement.filters.empty()) {
        return EmptyRowsWords::tr("All ranks are hidden.");
    }
    QStringList filters;
    for (const TrackFilter &filter : arrangement.filters) {
        filters.append(QStringLiteral("\"%1\"").arg(filterText(filter)));
    }
    const bool isRank = std::ranges::all_of(arrangement.filters, [](const TrackFilter &filter) {
        return filter.field == TrackField::Group;
    });
    const QString all = filters.join(EmptyRowsWords::tr(" and "));
    return isRank ? EmptyRowsWords::tr("No rank matches %1.").arg(all)
                  : EmptyRowsWords::tr("No track matches %1.").arg(all);
}

EmptyRowsNote::EmptyRowsNote(TimelineState &state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_text(createLabel({}, TextRole::Normal, this))
    , m_button(new QPushButton(this))
{
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    auto *rows = new QVBoxLayout(this);
    rows->setSpacing(space::medium);
    rows->addStretch();
    rows->addWidget(m_text);
    rows->addWidget(m_button, 0, Qt::AlignHCenter);
    rows->addStretch();
    connect(m_button, &QPushButton::clicked, this, &EmptyRowsNote::showRows);
    connect(&state, &TimelineState::sourceChanged, this, &EmptyRowsNote::showReason);
    showReason();
}

void EmptyRowsNote::showReason()
{
    const QString text = emptyRowsText(m_state);
    m_text->setText(text);
    m_button->setText(m_state.arrangement().filters.empty() ? tr("Show all") : tr("Clear filter"));
    setVisible(!text.isEmpty());
}

void EmptyRowsNote::showRows()
{
    TrackArrangement arrangement = m_state.arrangement();
    if (arrangement.filters.empty()) {
        arrangement.hidden.clear();
    }
    arrangement.filters.clear();
    m_state.setArrangement(std::move(arrangement));
}

} // namespace ui
