#include "core/change/change_list.h"

#include "core/change/chunks/expand_change.h"
#include "core/change/compute_change.h"
#include "core/change/copy_change.h"
#include "core/change/core_sharing_change.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/bucket_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/fusion_change.h"
#include "core/change/gradients/partition_change.h"
#include "core/change/gradients/partition_contention.h"
#include "core/change/host_change.h"
#include "core/change/ideal_peers.h"
#include "core/change/ideal_pipeline.h"
#include "core/change/input_change.h"
#include "core/change/transfers/comm_change.h"
#include "core/change/transfers/compression_change.h"
#include "core/change/transfers/link_change.h"
#include "core/change/transfers/lone_ranks.h"

#include <algorithm>
#include <set>

namespace core {

namespace {

    std::vector<std::unique_ptr<const ChangeKind>> makeKinds()
    {
        std::vector<std::unique_ptr<const ChangeKind>> kinds;
        kinds.push_back(bucketChange());
        kinds.push_back(cutsChange());
        kinds.push_back(fusionChange());
        kinds.push_back(partitionChange());
        kinds.push_back(idealPeersChange());
        kinds.push_back(computeChange());
        kinds.push_back(opFusionChange());
        kinds.push_back(hostChange());
        kinds.push_back(copyChange());
        kinds.push_back(inputChange());
        kinds.push_back(idealPipelineChange());
        kinds.push_back(coreSharingChange());
        kinds.push_back(compressionChange());
        kinds.push_back(linkChange());
        kinds.push_back(partitionContention());
        kinds.push_back(commChange());
        kinds.push_back(loneRanksChange());
        kinds.push_back(expandChange());
        return kinds;
    }

    /// "bucket_cap_mb and first_bucket_mb": the names of a kind's changes in a strategy.
    std::string namesText(const ChangeKind &kind, const Strategy &strategy)
    {
        std::vector<std::string> names;
        for (const Change &change : strategy.changes)
            if (kindOf(change.key) == &kind)
                names.push_back(change.name());
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i)
            text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
        return text;
    }

    /// A switch that is off asks for nothing.
    bool isOff(const Change &change)
    {
        const auto traits = traitsOf(change.key);
        return traits && traits->form == ChangeForm::Switch && change.number() == 0.0;
    }

} // namespace

const std::vector<std::unique_ptr<const ChangeKind>> &changeKinds()
{
    static const std::vector<std::unique_ptr<const ChangeKind>> kinds = makeKinds();
    return kinds;
}

std::vector<ChangeTraits> changeTraits()
{
    std::vector<ChangeTraits> all;
    for (const auto &kind : changeKinds())
        all.insert(all.end(), kind->traits().begin(), kind->traits().end());
    return all;
}

const ChangeKind *kindOf(std::string_view key)
{
    for (const auto &kind : changeKinds())
        for (const ChangeTraits &traits : kind->traits())
            if (traits.key == key)
                return kind.get();
    return nullptr;
}

std::optional<ChangeTraits> traitsOf(std::string_view key)
{
    if (const ChangeKind *const kind = kindOf(key))
        for (const ChangeTraits &traits : kind->traits())
            if (traits.key == key)
                return traits;
    return std::nullopt;
}

unsigned effectsOf(const Strategy &strategy)
{
    unsigned effects = 0;
    for (const Change &change : strategy.changes)
        if (const ChangeKind *const kind = kindOf(change.key))
            effects |= kind->effects(change);
    return effects;
}

std::optional<std::string> strategyObstacle(const MeasuredJob &job, const Strategy &strategy)
{
    for (const auto &kind : changeKinds())
        for (const Change &change : strategy.changes) {
            if (kindOf(change.key) != kind.get() || isOff(change))
                continue;
            if (const auto obstacle = kind->obstacle(job, change))
                return namesText(*kind, strategy)
                    + " cannot be changed on this trace: " + *obstacle;
        }
    return std::nullopt;
}

std::optional<std::string> changeObstacle(const MeasuredJob &job, const Change &change)
{
    const ChangeKind *const kind = kindOf(change.key);
    return kind != nullptr ? kind->obstacle(job, change) : std::nullopt;
}

ChangeObstacles changeObstacles(const MeasuredJob &job)
{
    ChangeObstacles obstacles;
    for (const auto &kind : changeKinds())
        for (const ChangeTraits &traits : kind->traits()) {
            const std::string key(traits.key);
            if (auto obstacle = kind->obstacle(job, Change(key, std::string())))
                obstacles.emplace_back(key, std::move(*obstacle));
        }
    return obstacles;
}

ChangeFacts changeFacts(const MeasuredJob &job)
{
    ChangeFacts facts;
    facts.obstacles = changeObstacles(job);
    for (const auto &kind : changeKinds()) {
        for (Change &change : kind->asMeasured(job))
            facts.measured.changes.push_back(std::move(change));
        for (const ChangeTraits &traits : kind->traits()) {
            std::set<std::vector<int>> &choices = facts.rankChoices[std::string(traits.key)];
            if (traits.isOfRanks)
                choices = kind->rankChoices(job);
            else if (traits.isOfRank)
                for (const Worker &worker : job.trace.workers)
                    choices.insert({ worker.rank });
        }
    }
    return facts;
}

std::string contradictionOf(const Strategy &strategy)
{
    for (const auto &kind : changeKinds())
        if (std::string contradiction = kind->contradiction(strategy); !contradiction.empty())
            return contradiction;
    return {};
}

const std::string *obstacleOf(const ChangeObstacles &obstacles, std::string_view key)
{
    const auto found = std::find_if(obstacles.begin(), obstacles.end(),
                                    [key](const auto &entry) { return entry.first == key; });
    return found == obstacles.end() ? nullptr : &found->second;
}

std::string noChangeText(const MeasuredJob &job, const Strategy &strategy)
{
    std::set<std::string> told;
    std::string text;
    for (const auto &kind : changeKinds())
        for (const Change &change : strategy.changes) {
            if (kindOf(change.key) != kind.get())
                continue;
            const std::string reason = isOff(change) ? change.name() + "=0 is the job as recorded"
                                                     : kind->noChangeReason(job, strategy, change);
            if (told.insert(reason).second)
                text += (text.empty() ? "" : "; ") + reason;
        }
    return "Changes nothing: " + text + ".";
}

Strategy withoutMeasured(const MeasuredJob &job, Strategy strategy)
{
    std::erase_if(strategy.changes, [&job](const Change &change) {
        const ChangeKind *const kind = kindOf(change.key);
        return kind != nullptr && kind->isAsMeasured(job, change);
    });
    return strategy;
}

Strategy nearestChecked(const MeasuredJob &job, const Strategy &strategy, unsigned effects)
{
    Strategy nearest;
    for (const Change &change : strategy.changes) {
        const ChangeKind *const kind = kindOf(change.key);
        const bool isMeant
            = kind != nullptr && (effects == ~0U || (kind->effects(change) & effects) != 0);
        if (!isMeant)
            nearest.changes.push_back(change);
        else if (auto checked = kind->nearestChecked(job, change))
            nearest.changes.push_back(std::move(*checked));
    }
    return nearest;
}

Strategy withoutEffects(const Strategy &strategy, unsigned effects)
{
    Strategy rest = strategy;
    std::erase_if(rest.changes, [effects](const Change &change) {
        const ChangeKind *const kind = kindOf(change.key);
        return kind != nullptr && (kind->effects(change) & effects) != 0;
    });
    return rest;
}

} // namespace core
