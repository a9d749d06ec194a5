#include "core/commands/scenario_text.h"

#include "core/base/duration_text.h"
#include "core/commands/text.h"
#include "core/scenario/parts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t MostDevices = 5; ///< listed; --json has all

    /// A device beside its rank.
    struct BusyDevice
    {
        int rank;
        std::int64_t ofNs; ///< the rank's iterations
        const DeviceEfficiency *device;

        double share() const
        {
            return static_cast<double>(device->loadNs)
                / static_cast<double>(std::max<std::int64_t>(1, ofNs));
        }
    };

    /// Those with the largest share of their rank's time first.
    std::vector<BusyDevice> busiest(const std::vector<RankEfficiency> &ranks)
    {
        std::vector<BusyDevice> devices;
        for (const RankEfficiency &rank : ranks)
            for (const DeviceEfficiency &device : rank.devices)
                devices.push_back({ rank.rank, rank.makespanNs, &device });
        std::stable_sort(devices.begin(), devices.end(),
                         [](const auto &a, const auto &b) { return a.share() > b.share(); });
        return devices;
    }

    /// A device that does next to nothing allows for next to everything.
    constexpr double MostTimesAsFast = 100;

    /// "65 % faster", and above twice as fast "2.3 times as fast".
    std::string fasterText(double speedup)
    {
        if (speedup <= 1)
            return percentText(speedup) + " faster";
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%.*f times as fast", speedup < 9 ? 1 : 0,
                      1 + speedup);
        return text.data();
    }

    /// "-" where there is no order to choose: all work is one device's.
    void addRow(TextTable &table, const BusyDevice &busy, std::int64_t iterations)
    {
        const SchedulingEfficiency &scheduling = busy.device->scheduling;
        const bool hasOrder = scheduling.speedup > 0;
        table.addRow({ std::to_string(busy.rank), busy.device->device,
                       durationText(busy.device->loadNs / iterations),
                       percentText(busy.share()) + " of " + durationText(busy.ofNs / iterations),
                       hasOrder ? percentText(scheduling.efficiency) : "-",
                       !hasOrder ? "-"
                           : scheduling.speedup > MostTimesAsFast
                           ? "over 100 times as fast"
                           : fasterText(scheduling.speedup) });
    }

} // namespace

std::string meanText(const ScenarioResult &result)
{
    const std::size_t all = result.graph->workerCount(), active = ranksWithActivity(*result.graph);
    const std::string ranks
        = (active < all ? std::to_string(active) + " of " : "") + countText(all, "rank");
    if (!result.hasIterations)
        return "mean of " + ranks;
    return "mean of "
        + countText(static_cast<std::size_t>(result.graph->iterationCount), "iteration") + ", "
        + ranks;
}

void printScheduling(const ScenarioResult &result, std::ostream &out)
{
    if (result.scheduling.speedup <= 0) {
        out << "scheduling: all work is one device's, nothing could overlap\n";
        return;
    }
    out << "scheduling efficiency " << percentText(result.scheduling.efficiency)
        << " (100 %: the busiest device is never idle, so that no other order of the same work is "
           "faster; 0 %: nothing overlaps); the best order is at most "
        << fasterText(result.scheduling.speedup)
        << (result.scheduling.speedup > 1 ? " as the worst" : " than the worst")
        << ". Far below 100 %, let more overlap: longpole replay predicts other orders (--set "
           "schedule=..., bucket_cap_mb=...).\n";
    const std::vector<BusyDevice> devices = busiest(result.rankScheduling);
    const std::int64_t iterations = result.graph ? std::max(1, result.graph->iterationCount) : 1;
    TextTable table({ "rank", "busiest device", iterations > 1 ? "busy per iteration" : "busy",
                      "share", "efficiency", "best order" });
    for (std::size_t i = 0; i < std::min(MostDevices, devices.size()); ++i)
        addRow(table, devices[i], iterations);
    table.print(out);
    if (devices.size() > MostDevices)
        out << "... and " << devices.size() - MostDevices << " more (--json lists all)\n";
}

void printTrust(const ScenarioResult &result, std::ostream &out)
{
    out << "trust      " << trustLevelName(result.trust) << "; self-replay error "
        << percentText(result.replayErrorFraction) << "\n";
    for (const std::string &reason : result.trustReasons)
        out << "  " << reason << "\n";
}

std::string warmUpText(const ScenarioResult &result)
{
    const std::size_t warmUp = result.warmUp();
    if (warmUp == 0)
        return {};
    const bool isOne = warmUp == 1;
    return "The first " + (isOne ? std::string() : std::to_string(warmUp) + " ") + "of "
        + std::to_string(result.graph->iterationCount) + " replayed iterations "
        + (isOne ? "is" : "are")
        + " not like the others, as no communication is left over from one before: the "
          "predicted time, its interval and the mean leave "
        + (isOne ? "it" : "them") + " out.";
}

} // namespace core
