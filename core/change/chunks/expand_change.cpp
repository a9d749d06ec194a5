#include "core/change/chunks/expand_change.h"

#include "core/change/chunks/expand_collectives.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfer_obstacles.h"

#include <array>

namespace core {

namespace {

    constexpr std::string_view ExpandKey = "expand";

    constexpr std::array<ChangeTraits, 1> ExpandTraits { {
        { .key = ExpandKey,
          .unit = "0 or 1",
          .least = 0,
          .most = 1,
          .isWhole = true,
          .form = ChangeForm::Switch,
          .group = ChangeGroup::Network,
          .effects = effect::Shown,
          .title = "Chunk by chunk",
          .hint = "Replay and show what ranks send each other on each link" },
    } };

    class ExpandChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return ExpandTraits; }
        Stage stage() const override { return Stage::Shown; }

        std::string contradiction(const Strategy &strategy) const override
        {
            return strategy.isOn(ExpandKey) && wantedRanks(strategy)
                ? "expand=1 shows what the recorded ranks send: leave world_size away."
                : std::string();
        }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            if (hasOnlyMessages(job.graph))
                return "its ranks send messages to each other, which are shown one by one as it "
                       "is; only collectives have chunks.";
            return chunkObstacle(job.graph);
        }

        void apply(Rewriting &rewriting) const override
        {
            if (rewriting.strategy().isOn(ExpandKey))
                rewriting.set(withChunks(rewriting.graph(), rewriting.trace(), rewriting.links(),
                                         linkChanges(rewriting.strategy()), rewriting.control()));
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &) const override
        {
            return "no collective of it is shown in chunks";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> expandChange()
{
    return std::make_unique<ExpandChange>();
}

} // namespace core
