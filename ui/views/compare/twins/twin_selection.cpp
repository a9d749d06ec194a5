#include "ui/views/compare/twins/twin_selection.h"

#include "ui/timeline/timeline_widget.h"
#include "ui/views/compare/twins/delta_ribbon.h"
#include "ui/views/compare/twins/op_details.h"

#include <optional>
#include <utility>

namespace ui {

TwinSelection::TwinSelection(TimelineWidget &above, TimelineWidget &below, QWidget *parent)
    : QObject(parent)
    , m_above(above)
    , m_below(below)
    , m_details(new OpDetails(parent))
    , m_ribbon(new DeltaRibbon(above, below, parent))
{
    connect(m_ribbon, &DeltaRibbon::chosen, this, [this](std::uint64_t id) {
        m_above.setSelectedId(id);
        emit m_above.sliceSelected(id); // as if it were clicked there
    });
    connect(&above, &TimelineWidget::sliceSelected, this,
            [this](std::uint64_t id) { follow(id, false); });
    connect(&below, &TimelineWidget::sliceSelected, this,
            [this](std::uint64_t id) { follow(id, true); });
    connect(&above, &TimelineWidget::selectionCleared, this, &TwinSelection::clear);
    connect(&below, &TimelineWidget::selectionCleared, this, &TwinSelection::clear);
}

void TwinSelection::setTwins(std::shared_ptr<const OpTwins> twins, bool isReference)
{
    m_twins = std::move(twins);
    m_isReference = isReference;
    m_ribbon->setTwins(m_twins);
    if (const auto &hit = m_above.state().selection(); hit && m_twins != nullptr)
        follow(hit->box.id, false);
    else
        showDetails();
}

void TwinSelection::follow(std::uint64_t id, bool isBelow)
{
    TimelineWidget &other = isBelow ? m_above : m_below;
    const auto twin = m_twins == nullptr ? std::nullopt
        : isBelow                        ? m_twins->above(id)
                                         : m_twins->below(id);
    if (twin)
        other.setSelectedId(*twin);
    else
        other.clearSelection();
    showDetails();
}

void TwinSelection::clear()
{
    m_above.clearSelection();
    m_below.clearSelection();
    showDetails();
    emit cleared();
}

void TwinSelection::showDetails()
{
    const auto opOf = [](const TimelineState &state) {
        std::optional<ComparedOp> op;
        if (const auto &hit = state.selection(); hit && state.source() != nullptr)
            op = { state.source()->boxName(hit->track, hit->box.id),
                   state.source()->tracks()[hit->track], hit->box, state.originNs() };
        return op;
    };
    m_details->setOps(opOf(m_above.state()), opOf(m_below.state()),
                      m_isReference ? tr("Reference") : tr("Measured"));
}

} // namespace ui
