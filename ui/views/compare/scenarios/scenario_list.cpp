#include "ui/views/compare/scenarios/scenario_list.h"

#include "core/base/error.h"
#include "ui/views/compare/setting_words.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace ui {
namespace {

    struct ScenarioList
    {
        Q_DECLARE_TR_FUNCTIONS(ScenarioList)
    };

    Scenario measuredScenario(const core::Prediction &unchanged)
    {
        Scenario measured;
        measured.name = ScenarioList::tr("Measured");
        core::StrategyFigures figures;
        figures.iterationNs = figures.unchangedNs = unchanged.measuredNs;
        figures.parts = unchanged.measuredParts;
        measured.figures = figures;
        return measured;
    }

    Scenario keptScenario(const core::SavedStrategy &saved, const core::MeasuredJob &job)
    {
        Scenario kept;
        kept.id = saved.id;
        kept.name = QString::fromStdString(saved.name);
        kept.figures = core::figuresIn(saved.file);
        try {
            kept.strategy = core::parseStrategyFile(saved.file, saved.name, job).strategy;
        } catch (const core::Error &error) {
            kept.problem = QString::fromUtf8(error.what());
        }
        return kept;
    }

    Scenario looseScenario(const core::Prediction &result,
                           std::optional<std::uint64_t> peakMemoryBytes)
    {
        Scenario loose;
        loose.name = settingWords(result.strategy);
        loose.strategy = result.strategy;
        loose.figures = core::figuresOf(result, peakMemoryBytes);
        return loose;
    }

    /// The row of a strategy; empty: there is none.
    Scenario *rowOf(std::vector<Scenario> &rows, const core::Strategy &strategy)
    {
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const Scenario &row) {
            return row.problem.isEmpty() && row.strategy == strategy;
        });
        return found == rows.end() ? nullptr : &*found;
    }

} // namespace

std::vector<Scenario> scenarioList(const ScenarioSources &sources)
{
    std::vector<Scenario> rows;
    if (sources.unchanged == nullptr || !sources.job)
        return rows;
    rows.reserve(sources.kept.size() + 3);
    rows.push_back(measuredScenario(*sources.unchanged));
    for (const core::SavedStrategy &saved : sources.kept)
        rows.push_back(keptScenario(saved, *sources.job));
    const auto shown = [&](const std::shared_ptr<const core::Prediction> &result, bool isBelow) {
        const core::Strategy strategy = result == nullptr ? core::Strategy() : result->strategy;
        Scenario *row = rowOf(rows, strategy);
        if (row == nullptr) {
            rows.push_back(looseScenario(*result,
                                         isBelow && sources.memory != nullptr
                                             ? sources.memory->predictedBytes()
                                             : std::nullopt));
            row = &rows.back();
        }
        (isBelow ? row->isBelow : row->isAbove) = true;
    };
    shown(sources.below, true);
    shown(sources.reference, false);
    return rows;
}

} // namespace ui
