#include "core/change/transfers/comm_change.h"

#include "core/change/checked_factor.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/comm_scale.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace core {

namespace {

    constexpr std::array<ChangeTraits, 1> CommTraits { {
        { .key = CommScaleKey,
          .unit = "factor",
          .least = 0,
          .most = 1e3,
          .isOfRanks = true,
          .group = ChangeGroup::Network,
          .effects = effect::TransferTime,
          .title = "Transfer time",
          .hint = "0 is free communication",
          .slider = { 0, 2, 0, 2, true, " \u00d7" },
          .titleOfRanks = "Their transfers",
          .hintOfRanks = "Between just these ranks; 0.5 is twice as fast",
          .initialOfRanks = 0.5 },
    } };

    class CommChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return CommTraits; }
        Stage stage() const override { return Stage::Transfers; }
        bool worksOnBlocks() const override { return true; }

        std::optional<std::string> obstacle(const MeasuredJob &job,
                                            const Change &change) const override
        {
            const std::vector<OpKind> &kinds = job.graph.kind;
            if (std::find(kinds.begin(), kinds.end(), OpKind::Communication) == kinds.end())
                return "no communication is recorded: record a job of several ranks, with the "
                       "profiler of each.";
            return transferringObstacle(job, change.ranks);
        }

        void apply(Rewriting &rewriting) const override
        {
            rewriting.set(withCommScale(rewriting.graph(), rewriting.trace(),
                                        commScale(rewriting.strategy()), rewriting.control()));
        }

        std::set<std::vector<int>> rankChoices(const MeasuredJob &job) const override
        {
            return transferringRanks(job.graph, job.trace);
        }

        /// That there are no transfers is no extrapolation.
        std::optional<Change> nearestChecked(const MeasuredJob &,
                                             const Change &change) const override
        {
            return change.number() == 0.0 ? change
                                          : clampedTo(change, 1 / CheckedRate, CheckedRate);
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            const CommScale scale = commScale(evidence.strategy);
            double farthest = 1;
            const auto look = [&farthest](double factor) {
                if (factor > 0 && factorAway(factor) > factorAway(farthest))
                    farthest = factor;
            };
            look(scale.ofAll.value_or(1));
            for (const auto &[ranks, factor] : scale.ofRanks)
                look(factor);
            if (auto doubt
                = beyondChecked(factorAway(farthest), CheckedRate,
                                "Transfers " + factorText(factorAway(farthest)) + " times as "
                                    + (farthest > 1 ? "slow" : "fast") + " as recorded"))
                return { std::move(*doubt) };
            return {};
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> commChange()
{
    return std::make_unique<CommChange>();
}

} // namespace core
