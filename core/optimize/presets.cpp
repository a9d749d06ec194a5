#include "core/optimize/presets.h"

#include "core/change/change_list.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/bucket_layout.h"
#include "core/change/gradients/horovod_fusion.h"

namespace core {

namespace {

    constexpr double PresetMegabyte = 1e6;

    Strategy scheduleOf(const char *name)
    {
        return { { "schedule", std::string(name) } };
    }

    /// DDP: torch/nn/parallel/distributed.py. Horovod: documentation of 0.28; dPRO's baseline is an
    /// older one's. BytePS: docs/env.md, without a credit. XLA fuses as much as it can, and
    /// gradients leave at the end (dPRO, section 7.4).
    std::vector<Preset> defaults()
    {
        const FusionLimits current;
        return {
            { "ddp_default",
              "PyTorch DDP's defaults: buckets of 25 MiB, the first of 1 MiB",
              "PyTorch's documentation",
              "bucket_cap",
              true,
              { { "bucket_cap_mb", DefaultBucketCapMb },
                { "first_bucket_mb", DefaultFirstBucketMb } } },
            { "horovod_default",
              "Horovod's defaults: a buffer of 128 MiB, cycles of 1 ms",
              "Horovod's documentation, 0.28",
              "horovod_fusion",
              true,
              { { "fusion_threshold_bytes", static_cast<double>(current.thresholdBytes) },
                { "cycle_time_ms", static_cast<double>(current.cycleNs) / 1e6 } } },
            { "horovod_dpro",
              "Horovod as in dPRO's paper: a buffer of 64 MB, cycles of 5 ms",
              "Hu et al., MLSys 2022",
              "horovod_fusion",
              true,
              { { "fusion_threshold_bytes", 64 * PresetMegabyte }, { "cycle_time_ms", 5.0 } } },
            { "byteps_default",
              "BytePS's defaults: partitions of 4,096,000 bytes, as they become ready",
              "BytePS's documentation",
              "bytescheduler",
              true,
              { { "schedule", std::string("fifo") }, { "partition_bytes", 4'096'000.0 } } },
            { "xla_fuse_all",
              "XLA's default: the whole backward pass compiled as one part",
              "Hu et al., MLSys 2022, section 7.4",
              "dpro",
              true,
              { { std::string(OpFusionKey), std::string(FuseAll) } } },
        };
    }

    /// Sizes that a paper or its program gives are the schedules' own (`gradients/schedule`).
    std::vector<Preset> published()
    {
        return {
            { "mgwfbp", "MG-WFBP: buckets that spare their latency", "Shi et al., INFOCOM 2019",
              "bucket_cuts", false, scheduleOf("mgwfbp") },
            { "p3", "P3: partitions of 200,000 bytes by priority", "Jayarajan et al., MLSys 2019",
              "p3", false, scheduleOf("p3") },
            { "bytescheduler", "ByteScheduler: partitions of 4 MB within a credit of 16 MB",
              "Peng et al., SOSP 2019", "bytescheduler", false, scheduleOf("bytescheduler") },
            { "tic", "TicTac's TIC: whole tensors by what operations need",
              "Hashemi et al., MLSys 2019", "tictac", false, scheduleOf("tic") },
            { "tac", "TicTac's TAC: the same, with times", "Hashemi et al., MLSys 2019", "tictac",
              false, scheduleOf("tac") },
            { "usbyte", "US-Byte: blocks of unequal size", "Gao et al., TPDS 2023", "usbyte", false,
              scheduleOf("usbyte") },
            { "dear", "DeAR: reduce-scatter, then all-gather", "Zhang et al., ICDCS 2023", "dear",
              false, scheduleOf("dear") },
            { "hierarchical",
              "All-reduce in each host, then between hosts",
              "NCCL, Horovod",
              "",
              false,
              { { "collective", std::string("hierarchical") } } },
            { "colocated",
              "Parameter servers beside the ranks",
              "Jiang et al., OSDI 2020",
              "",
              false,
              { { "collective", std::string("colocated") } } },
        };
    }

    std::vector<Preset> makePresets()
    {
        std::vector<Preset> all = defaults();
        for (Preset &preset : published())
            all.push_back(std::move(preset));
        return all;
    }

} // namespace

Strategy environmentOf(Strategy strategy)
{
    std::erase_if(strategy.changes, [](const Change &change) {
        const auto traits = traitsOf(change.key);
        return traits
            && (traits->group == ChangeGroup::Gradients
                || (traits->effects & (effect::Algorithm | effect::Compiled)) != 0);
    });
    return strategy;
}

const std::vector<Preset> &presets()
{
    static const std::vector<Preset> all = makePresets();
    return all;
}

} // namespace core
