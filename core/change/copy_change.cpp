#include "core/change/copy_change.h"

#include "core/change/checked_factor.h"
#include "core/change/rewriting.h"
#include "core/measure/bounded_time.h"

#include <array>

namespace core {

namespace {

    constexpr std::string_view CopyKey = "copy_scale";

    constexpr std::array<ChangeTraits, 1> CopyTraits { {
        { .key = CopyKey,
          .unit = "factor",
          .least = 0,
          .most = 1e3,
          .group = ChangeGroup::Computation,
          .title = "Copy time",
          .hint = "Copies to, from and on accelerators; 0 is copies that take no time",
          .slider = { 0, 2, 0, 2, true, " \u00d7" } },
    } };

    Graph withScaledCopies(Graph graph, double factor)
    {
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            if (isCopy(graph, OpId(op)))
                graph.durationNs[op] = scaledBy(graph.durationNs[op], factor);
        return graph;
    }

    class CopyChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return CopyTraits; }
        Stage stage() const override { return Stage::Work; }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            for (std::uint32_t op = 0; op < job.graph.size(); ++op)
                if (isCopy(job.graph, OpId(op)))
                    return std::nullopt;
            return "no copy to, from or on an accelerator is recorded.";
        }

        void apply(Rewriting &rewriting) const override
        {
            rewriting.set(withScaledCopies(rewriting.graph(),
                                           rewriting.strategy().number(CopyKey).value_or(1)));
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            if (auto doubt = neverChecked(evidence.strategy.number(CopyKey).value_or(1), "Copying"))
                return { std::move(*doubt) };
            return {};
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> copyChange()
{
    return std::make_unique<CopyChange>();
}

bool isCopy(const Graph &graph, OpId op)
{
    return graph.kind[op.value] == OpKind::Memory
        && graph.devices[graph.device[op.value].value].isStream;
}

} // namespace core
