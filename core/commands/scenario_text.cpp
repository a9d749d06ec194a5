#include "core/commands/scenario_text.h"

#include "core/base/duration_text.h"
#include "core/commands/text.h"

#include <algorithm>
#include <ostream>

namespace core {

namespace {

    constexpr std::size_t MostRanks = 4, MostDevices = 3; ///< listed; --json has all

    /// "-" where there is no order to choose: all work is one device's.
    std::string shareText(const SchedulingEfficiency &scheduling, double share)
    {
        return scheduling.speedup > 0 ? percentText(share) : "-";
    }

    void addRow(TextTable &table, const RankEfficiency &rank, const std::string &device,
                const std::string &busy, const SchedulingEfficiency &scheduling)
    {
        table.addRow({ std::to_string(rank.rank), device, busy, durationText(rank.makespanNs),
                       shareText(scheduling, scheduling.efficiency),
                       shareText(scheduling, scheduling.speedup) });
    }

} // namespace

void printScheduling(const ScenarioResult &result, std::ostream &out)
{
    if (result.scheduling.speedup <= 0) {
        out << "scheduling: all work is one device's, nothing could overlap\n";
        return;
    }
    out << "scheduling efficiency " << percentText(result.scheduling.efficiency)
        << " (100 %: the busiest device is never idle; 0 %: nothing overlaps), order alone could "
           "gain at most "
        << percentText(result.scheduling.speedup) << "\n";
    TextTable table({ "rank", "device", "busy", "of", "efficiency", "speedup" });
    for (std::size_t r = 0; r < std::min(MostRanks, result.rankScheduling.size()); ++r) {
        const RankEfficiency &rank = result.rankScheduling[r];
        addRow(table, rank, "all", "", rank.scheduling);
        for (std::size_t d = 0; d < std::min(MostDevices, rank.devices.size()); ++d)
            addRow(table, rank, rank.devices[d].device, durationText(rank.devices[d].loadNs),
                   rank.devices[d].scheduling);
    }
    table.print(out);
}

void printTrust(const ScenarioResult &result, std::ostream &out)
{
    out << "trust: " << trustLevelName(result.trust) << "; self-replay error "
        << percentText(result.replayErrorFraction) << "\n";
    for (const std::string &reason : result.trustReasons)
        out << "  " << reason << "\n";
}

} // namespace core
