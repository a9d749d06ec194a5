#include "core/change/input_change.h"

#include "core/change/checked_factor.h"
#include "core/change/graph_edits.h"
#include "core/change/rewriting.h"
#include "core/measure/framework.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::string_view InputKey = "input_scale";

    constexpr std::array<ChangeTraits, 1> InputTraits { {
        { .key = InputKey,
          .unit = "factor",
          .least = 0,
          .most = 1e3,
          .group = ChangeGroup::Computation,
          .title = "Input time",
          .hint = "0: never waits for input",
          .slider = { 0, 2, 0, 2, true, " \u00d7" } },
    } };

    class InputChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return InputTraits; }
        Stage stage() const override { return Stage::Work; }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            const std::vector<Phase> &phases = job.graph.phase;
            if (std::find(phases.begin(), phases.end(), Phase::Input) != phases.end())
                return std::nullopt;
            const bool isPyTorch = frameworkOf(job.graph.names) == Framework::PyTorch;
            return std::string("nothing that loads the input is recorded")
                + (isPyTorch ? " (a DataLoader's calls)." : ".");
        }

        void apply(Rewriting &rewriting) const override
        {
            rewriting.set(withScaledPhase(rewriting.graph(), Phase::Input,
                                          rewriting.strategy().number(InputKey).value_or(1)));
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            if (auto doubt
                = neverChecked(evidence.strategy.number(InputKey).value_or(1), "Loading the input"))
                return { std::move(*doubt) };
            return {};
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> inputChange()
{
    return std::make_unique<InputChange>();
}

} // namespace core
