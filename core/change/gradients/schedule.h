#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace core {

/// In which order gradients are sent, and in which pieces.
enum class Schedule : std::uint8_t {
    Wfbp, ///< DDP's buckets, in the order in which they become ready
    Fifo, ///< partitions in the order of readiness, no barrier between iterations
    P3, ///< partitions in the order in which the next forward pass needs them
    ByteScheduler, ///< the same, larger and within a credit
    Tic, ///< whole tensors by TicTac's order that knows no times
    Tac, ///< whole tensors by its order that does
    UsByte, ///< in blocks of unequal size, in the order of US-Byte's search
    Dear, ///< reduce-scatters as gradients become ready, then all-gathers
    MgWfbp, ///< buckets by MG-WFBP's rule
    Random, ///< whole tensors in an order by chance: TicTac's baseline
};

/// P3's default: partitions of 50,000 parameters.
inline constexpr std::uint64_t DefaultPartitionBytes = 50'000 * 4;

/// Bytes of a partition that no tensor exceeds.
inline constexpr std::uint64_t WholeTensors = 1'000'000'000'000;

/// Credit with which a link serves one partition at a time.
inline constexpr std::uint64_t OneAtATime = 1;

/// Facts of a schedule that no job changes.
struct ScheduleTraits
{
    Schedule schedule;
    std::string_view name; ///< "p3"; of `--set schedule=`
    std::string_view title; ///< "Partitions by priority (P3)"
    std::string_view hint; ///< one sentence, with the source
    std::string_view system = {}; ///< "P3": whose defaults it has
    std::uint64_t partitionBytes = 0; ///< default, where tensors are sent by themselves
    std::uint64_t creditBytes = 0; ///< default; 0: what the backend takes
    /// Tensors are sent by themselves, and a layer waits for its own; else in buckets, with a
    /// barrier behind the iteration.
    bool isByTensor = true;
    bool joinsTensors = false; ///< up to partitionBytes; else larger ones are cut
    bool isByPriority = true; ///< links serve the lowest priority first
    /// A program's own partitions can be sent so: nothing but their order of readiness is needed.
    bool fitsRecordedPartitions = false;
    bool isChecked = false; ///< on measured jobs
};

/// All schedules, P3 first: what a panel offers.
std::span<const ScheduleTraits> scheduleTraits();
const ScheduleTraits &traitsOf(Schedule schedule);

/// Whether tensors are cut or joined to partitions of a size, unless they are sent whole.
bool hasPartitionSize(const ScheduleTraits &traits);
/// "p3, fifo or wfbp": of all schedules that are so.
std::string scheduleNames(const std::function<bool(const ScheduleTraits &)> &isMeant);

/// "wfbp", "fifo", "p3".
std::string_view scheduleName(Schedule schedule);
/// By its name.
std::optional<Schedule> scheduleNamed(std::string_view name);

} // namespace core
