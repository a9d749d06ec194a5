#include "core/change/core_sharing_change.h"

#include "core/change/change_list.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/link_changes.h"

namespace core {

namespace {

    class CoreSharingChange : public ChangeKind
    {
    public:
        Stage stage() const override { return Stage::Work; }

        bool isAsked(const Strategy &strategy) const override
        {
            return hasEffect(strategy, effect::Shares | effect::Ranks);
        }

        void apply(Rewriting &rewriting) const override
        {
            const auto &cores = rewriting.models().cores;
            if (cores == nullptr)
                return;
            if (hasEffect(rewriting.strategy(), effect::Shares) && cores->mayShare())
                rewriting.set(
                    cores->withOtherSharesNoted(rewriting.graph(), rewriting.atStageStart()));
            if (const auto ranks = wantedRanks(rewriting.strategy()))
                rewriting.set(cores->forRanks(rewriting.graph(), *ranks));
        }

        /// The trace does not tell on which hosts another number of ranks is.
        std::vector<OtherReading> otherReadings(const DoubtEvidence &evidence) const override
        {
            const std::optional<double> wanted = wantedRanks(evidence.strategy);
            const auto &cores = evidence.models.cores;
            if (!wanted || !cores || !cores->mayShare() || *wanted == cores->recordedRanks())
                return {};
            std::vector<OtherReading> readings;
            const auto add = [&readings](Graph graph) {
                readings.push_back({ IntervalSource::OtherRanks,
                                     {},
                                     std::make_shared<const Graph>(std::move(graph)) });
            };
            if (*wanted > cores->recordedRanks()) {
                // As far as predictions were checked: nobody starts a thousand ranks on two cores.
                const auto checked
                    = wantedRanks(core::nearestChecked(evidence.job, evidence.strategy));
                add(cores->withCrowdedCores(evidence.rewritten, checked.value_or(*wanted)));
                return readings;
            }
            const double left = cores->sharersLeft(*wanted);
            add(cores->withSharersLeft(evidence.rewritten, left, 0));
            add(cores->withSharersLeft(evidence.rewritten, left, 1));
            return readings;
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> coreSharingChange()
{
    return std::make_unique<CoreSharingChange>();
}

} // namespace core
