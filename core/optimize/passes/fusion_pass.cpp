#include "core/optimize/passes/fusion_pass.h"

#include "core/optimize/search.h"

#include <array>
#include <cmath>

namespace core {

namespace {

    constexpr PassInfo FusionInfo { .name = "horovod_fusion",
                                    .title = "Horovod's fusion",
                                    .hint = "Buffer and cycle time of Horovod instead of DDP",
                                    .source = "Sergeev and Del Balso 2018 (arXiv 1802.05799)",
                                    .isAnotherSystem = true };

    constexpr double Mib = 1024.0 * 1024;
    constexpr std::array ThresholdsMib = { 128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0 };
    constexpr std::array CyclesMs = { 1.0, 2.0, 5.0 };

    class FusionPass : public Pass
    {
    public:
        const PassInfo &info() const override { return FusionInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return search.obstacle("fusion_threshold_bytes");
        }

        /// The default first: 128 MiB and 1 ms.
        void run(Search &search) const override
        {
            const Strategy start = search.best();
            for (const double mib : ThresholdsMib)
                for (const double ms : CyclesMs)
                    search.propose(Search::with(start,
                                                { { "fusion_threshold_bytes", mib * Mib },
                                                  { "cycle_time_ms", ms } }),
                                   "Horovod with a buffer of " + Change("", mib).valueText()
                                       + " MiB, cycles of " + Change("", ms).valueText() + " ms",
                                   "every size and cycle of a grid is tried",
                                   std::log2(ThresholdsMib.front() / mib) + std::log2(ms));
        }
    };

} // namespace

std::unique_ptr<const Pass> fusionPass()
{
    return std::make_unique<FusionPass>();
}

} // namespace core
