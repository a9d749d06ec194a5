#include "core/change/gradients/schedule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace core {

namespace {

    constexpr std::uint64_t BytesPerParameter = 4;

    /// ByteScheduler's defaults are those of its code (bytescheduler/common/search.py): 1,000,000
    /// parameters, and a credit of 4,000,000.
    constexpr std::array ScheduleList {
        ScheduleTraits {
            .schedule = Schedule::P3,
            .name = "p3",
            .title = "Partitions by priority (P3)",
            .hint = "What the next forward pass needs first is sent first (Jayarajan et al., MLSys "
                    "2019)",
            .system = "P3",
            .partitionBytes = DefaultPartitionBytes,
            .fitsRecordedPartitions = true,
            .isChecked = true,
        },
        ScheduleTraits {
            .schedule = Schedule::ByteScheduler,
            .name = "bytescheduler",
            .title = "Partitions by priority, within a credit (ByteScheduler)",
            .hint = "As P3, with larger partitions and a limit of bytes on their way (Peng et al., "
                    "SOSP 2019)",
            .system = "ByteScheduler",
            .partitionBytes = 1'000'000 * BytesPerParameter,
            .creditBytes = 4'000'000 * BytesPerParameter,
            .fitsRecordedPartitions = true,
        },
        ScheduleTraits {
            .schedule = Schedule::Tic,
            .name = "tic",
            .title = "Tensors by what operations need (TIC)",
            .hint = "TicTac's order by dependencies alone (Hashemi et al., MLSys 2019)",
            .system = "TicTac",
            .partitionBytes = WholeTensors,
            .creditBytes = OneAtATime,
        },
        ScheduleTraits {
            .schedule = Schedule::Tac,
            .name = "tac",
            .title = "Tensors by needs and times (TAC)",
            .hint = "TicTac's order by dependencies and times (Hashemi et al., MLSys 2019)",
            .system = "TicTac",
            .partitionBytes = WholeTensors,
            .creditBytes = OneAtATime,
        },
        ScheduleTraits {
            .schedule = Schedule::UsByte,
            .name = "usbyte",
            .title = "Blocks of unequal size (US-Byte)",
            .hint = "Blocks that fit in between gradients, in the order of a search (Gao et al., "
                    "TPDS 2023)",
            .system = "Longpole",
            .partitionBytes = 1'000'000,
            .creditBytes = OneAtATime,
        },
        ScheduleTraits {
            .schedule = Schedule::Dear,
            .name = "dear",
            .title = "Reduce-scatter, then all-gather (DeAR)",
            .hint = "Gradients are gathered while the next forward pass runs (Zhang et al., ICDCS "
                    "2023)",
            .system = "DeAR",
            .partitionBytes = 25 * 1024 * 1024,
            .creditBytes = OneAtATime,
            .joinsTensors = true,
        },
        ScheduleTraits {
            .schedule = Schedule::Fifo,
            .name = "fifo",
            .title = "Partitions in order of readiness",
            .hint = "No barrier: a layer waits for its own gradients only",
            .system = "P3",
            .partitionBytes = DefaultPartitionBytes,
            .isByPriority = false,
            .fitsRecordedPartitions = true,
            .isChecked = true,
        },
        ScheduleTraits {
            .schedule = Schedule::Random,
            .name = "random",
            .title = "Tensors in an order by chance",
            .hint = "What TicTac compares with; schedule_seed chooses another order",
            .system = "TicTac",
            .partitionBytes = WholeTensors,
            .creditBytes = OneAtATime,
            .fitsRecordedPartitions = true,
        },
        ScheduleTraits {
            .schedule = Schedule::MgWfbp,
            .name = "mgwfbp",
            .title = "Buckets by MG-WFBP's rule",
            .hint = "What comes within a latency joins the bucket before (Shi et al., INFOCOM "
                    "2019)",
            .isByTensor = false,
            .isByPriority = false,
            .isChecked = true,
        },
        ScheduleTraits {
            .schedule = Schedule::Wfbp,
            .name = "wfbp",
            .title = "Buckets in order of readiness",
            .hint = "What PyTorch DDP does",
            .isByTensor = false,
            .isByPriority = false,
            .isChecked = true,
        },
    };

} // namespace

std::span<const ScheduleTraits> scheduleTraits()
{
    return ScheduleList;
}

const ScheduleTraits &traitsOf(Schedule schedule)
{
    return *std::find_if(
        ScheduleList.begin(), ScheduleList.end(),
        [schedule](const ScheduleTraits &traits) { return traits.schedule == schedule; });
}

bool hasPartitionSize(const ScheduleTraits &traits)
{
    return traits.isByTensor && traits.partitionBytes != WholeTensors;
}

std::string scheduleNames(const std::function<bool(const ScheduleTraits &)> &isMeant)
{
    std::vector<std::string> names;
    for (const ScheduleTraits &traits : ScheduleList)
        if (isMeant(traits))
            names.emplace_back(traits.name);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

std::string_view scheduleName(Schedule schedule)
{
    return traitsOf(schedule).name;
}

std::optional<Schedule> scheduleNamed(std::string_view name)
{
    for (const ScheduleTraits &traits : ScheduleList)
        if (traits.name == name)
            return traits.schedule;
    return std::nullopt;
}

} // namespace core
