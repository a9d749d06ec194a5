#pragma once

#include "core/change/change_kind.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// All kinds of change, in the order in which they are applied. To add one: its file pair, and its
/// line here.
const std::vector<std::unique_ptr<const ChangeKind>> &changeKinds();

/// Traits of all kinds, in the same order.
std::vector<ChangeTraits> changeTraits();
/// The kind that has that key; null: none.
const ChangeKind *kindOf(std::string_view key);
/// Empty: no kind has that key.
std::optional<ChangeTraits> traitsOf(std::string_view key);

/// Flags of `effect`, of all changes together.
unsigned effectsOf(const Strategy &strategy);
inline bool hasEffect(const Strategy &strategy, unsigned effects)
{
    return (effectsOf(strategy) & effects) != 0;
}

/// Why a strategy cannot be predicted on a job: the first obstacle of its changes, with their
/// names; empty where it can.
std::optional<std::string> strategyObstacle(const MeasuredJob &job, const Strategy &strategy);

/// Why one change cannot be predicted on a job; empty where it can.
std::optional<std::string> changeObstacle(const MeasuredJob &job, const Change &change);

/// By key: why a change cannot be predicted on a job, for people; only of those that cannot.
using ChangeObstacles = std::vector<std::pair<std::string, std::string>>;
ChangeObstacles changeObstacles(const MeasuredJob &job);
/// What a panel of changes shows of a job.
struct ChangeFacts
{
    ChangeObstacles obstacles;
    Strategy measured; ///< how the job is already, as far as the trace tells
    /// By key: which ranks a change can name; each one alone where nothing else is said.
    std::map<std::string, std::set<std::vector<int>>> rankChoices;
};
ChangeFacts changeFacts(const MeasuredJob &job);

/// Why a strategy contradicts itself, and what to leave away; empty where it does not.
std::string contradictionOf(const Strategy &strategy);

/// Null: there is none.
const std::string *obstacleOf(const ChangeObstacles &obstacles, std::string_view key);

/// What the job has already where a strategy changes nothing, as a sentence.
std::string noChangeText(const MeasuredJob &job, const Strategy &strategy);

/// Without what is as it was measured.
Strategy withoutMeasured(const MeasuredJob &job, Strategy strategy);
/// The nearest strategy that predictions were checked for, as far as changes with any of these
/// effects are concerned; others stay.
Strategy nearestChecked(const MeasuredJob &job, const Strategy &strategy, unsigned effects = ~0U);
/// Without the changes that have any of these effects.
Strategy withoutEffects(const Strategy &strategy, unsigned effects);

} // namespace core
