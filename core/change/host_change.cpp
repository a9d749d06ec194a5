#include "core/change/host_change.h"

#include "core/change/checked_factor.h"
#include "core/change/graph_edits.h"
#include "core/change/rewriting.h"
#include "core/measure/framework.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::string_view HostKey = "host_overhead_scale";

    constexpr std::array<ChangeTraits, 1> HostTraits { {
        { .key = HostKey,
          .unit = "factor",
          .least = 0,
          .most = 1e3,
          .group = ChangeGroup::Computation,
          .title = "Host overhead",
          .hint = "Launching and interpreter; 0 is what CUDA graphs approach",
          .slider = { 0, 2, 0, 2, true, " \u00d7" } },
    } };

    class HostChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return HostTraits; }
        Stage stage() const override { return Stage::Work; }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            const std::vector<bool> hasHost = workersWithHost(job.graph);
            const auto without = std::count(hasHost.begin(), hasHost.end(), false);
            if (without == 0)
                return std::nullopt;
            return "nothing of the host of " + std::to_string(without) + " of "
                + std::to_string(hasHost.size())
                + " ranks is recorded, so the time between their operations is not known to be "
                  "the host's. Record the host's activities, too"
                + torchProfilerHint(job.graph, "ProfilerActivity.CPU") + ".";
        }

        void apply(Rewriting &rewriting) const override
        {
            rewriting.set(withHostOverhead(rewriting.graph(),
                                           rewriting.strategy().number(HostKey).value_or(1),
                                           rewriting.atStageStart()));
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            if (auto doubt = neverChecked(evidence.strategy.number(HostKey).value_or(1),
                                          "Launching and host code"))
                return { std::move(*doubt) };
            return {};
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> hostChange()
{
    return std::make_unique<HostChange>();
}

} // namespace core
