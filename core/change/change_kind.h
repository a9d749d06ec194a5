#pragma once

#include "core/change/change.h"
#include "core/change/change_traits.h"
#include "core/change/interval_source.h"
#include "core/change/measured_job.h"
#include "core/change/models.h"
#include "core/measure/trust_level.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class Rewriting;

/// The order in which kinds of change are applied.
enum class Stage {
    Gradients, ///< which are sent together, and when
    Work, ///< of the ranks themselves: layers, host, input
    Transfers,
    Shown ///< in which detail
};

/// The parts of a prediction that doubts about a change depend on.
struct DoubtEvidence
{
    MeasuredJob job; ///< the recorded one
    const Graph &rewritten;
    const Strategy &strategy;
    const Models &models;
    std::int64_t unchangedNs = 0, predictedNs = 0; ///< iterations
    bool isNoChange = false; ///< the rewritten graph is the recorded one
};

/// Another way to read the trace, of which an interval holds the outcome: other models of the
/// ranks' own work, another strategy that stands for the judged one, or another rewritten graph.
struct OtherReading
{
    IntervalSource source;
    std::optional<Models> models = {};
    std::shared_ptr<const Graph> rewritten = {}; ///< where neither models nor strategy are given
    std::optional<Strategy> strategy = {};
};

/// A kind of change: one or several keys that are applied together. One file pair each and one line
/// in change_list.cpp. Without keys it is a consequence of other changes.
class ChangeKind
{
public:
    ChangeKind() = default;
    virtual ~ChangeKind() = default;
    ChangeKind(const ChangeKind &) = delete;
    ChangeKind &operator=(const ChangeKind &) = delete;
    ChangeKind(ChangeKind &&) = delete;
    ChangeKind &operator=(ChangeKind &&) = delete;

    virtual std::span<const ChangeTraits> traits() const { return {}; }
    virtual Stage stage() const = 0;

    /// Whether a strategy has one of its keys; of a consequence whether it has what leads to it.
    virtual bool isAsked(const Strategy &strategy) const;
    /// Flags of `effect`, of one of its changes.
    virtual unsigned effects(const Change &change) const;
    /// Why a strategy contradicts itself, and what to leave away; empty where it does not.
    virtual std::string contradiction(const Strategy &) const { return {}; }
    /// Why the trace does not support one of its changes, and what to do; empty where it does. A
    /// change without ranks may also mean any: of a key that is not given yet.
    virtual std::optional<std::string> obstacle(const MeasuredJob &, const Change &) const
    {
        return {};
    }
    /// True: it looks at no other ops than those of collectives and gradient steps, so that it may
    /// rewrite a graph in which runs of others are one block each.
    virtual bool worksOnBlocks() const { return false; }
    /// Rewrites the graph. There is no obstacle. Throws Error where one shows on the way.
    virtual void apply(Rewriting &rewriting) const = 0;

    /// The reason why one of its changes changes nothing: the job has it already.
    virtual std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                       const Change &change) const;
    /// How the job is already, as far as the trace tells: changes that would change nothing.
    virtual std::vector<Change> asMeasured(const MeasuredJob &) const { return {}; }
    /// Which ranks a change can name together; empty: any one.
    virtual std::set<std::vector<int>> rankChoices(const MeasuredJob &) const { return {}; }
    /// True: what a change asks for is what was measured, so nothing about it is unsure.
    virtual bool isAsMeasured(const MeasuredJob &, const Change &) const { return false; }
    /// The nearest change that predictions were checked for; empty: none at all.
    virtual std::optional<Change> nearestChecked(const MeasuredJob &, const Change &change) const
    {
        return change;
    }
    /// Reasons against relying on a prediction because of its changes.
    virtual std::vector<TrustReason> doubts(const DoubtEvidence &) const { return {}; }
    /// Which other readings of the trace the interval of a prediction holds.
    virtual std::vector<OtherReading> otherReadings(const DoubtEvidence &) const { return {}; }
    /// Why allocations change by other amounts than recorded; empty: they do not.
    virtual std::optional<std::string> memoryObstacle(const Change &, const Graph &) const
    {
        return {};
    }
};

/// "compute_scale=1 is the job as recorded", else that nothing takes time that it changes.
std::string factorNoChange(const Change &change);

} // namespace core
