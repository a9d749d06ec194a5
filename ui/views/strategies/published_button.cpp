#include "ui/views/strategies/published_button.h"

#include "core/change/change_list.h"
#include "core/optimize/search.h"
#include "ui/models/preset_menu.h"
#include "ui/session/analysis_work.h"
#include "ui/session/session.h"
#include "ui/widgets/format.h"

#include <QMenu>

namespace ui {

PublishedButton::PublishedButton(Session &session, std::function<core::Strategy()> environmentNow,
                                 QWidget *parent)
    : QPushButton(tr("Published strategies"), parent)
    , m_session(session)
    , m_environmentNow(std::move(environmentNow))
{
    setToolTip(toolTipParagraphs(tr("Strategies of systems and papers, to compare and to export")));
}

void PublishedButton::showFacts()
{
    const auto facts = m_session.changeFacts();
    delete menu();
    setMenu(createPresetMenu(
        facts != nullptr ? facts->obstacles : core::ChangeObstacles {},
        [this](const QString &title, const core::Strategy &changes) { choose(title, changes); },
        this));
}

void PublishedButton::cancel()
{
    m_job.cancel();
}

void PublishedButton::choose(const QString &title, const core::Strategy &changes)
{
    const core::Strategy environment = m_environmentNow();
    const core::Strategy whole = core::Search::with(environment, changes);
    emit chosen(title, whole, {});
    m_job.start(
        [loaded = m_session.loaded(), predictor = m_session.predictor(), environment,
         whole](const core::JobControl &control) -> Times {
            core::Predictor own = predictorFor(loaded, predictor, control);
            if (core::strategyObstacle(own.job(), whole))
                return {};
            return { own.iterationNs(environment, control), own.iterationNs(whole, control) };
        },
        [this, title, whole](const Times &times) {
            emit chosen(title, whole,
                        times.first && times.second
                            ? tr("Iteration %1 instead of %2.")
                                  .arg(formatDuration(*times.second), formatDuration(*times.first))
                            : tr("The trace does not support it: Compare says why."));
        },
        [this](const QString &message) { emit failed(message); });
}

} // namespace ui
