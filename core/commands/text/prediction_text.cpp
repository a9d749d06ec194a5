#include "core/commands/text/prediction_text.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/commands/text/text.h"
#include "core/measure/parts.h"
#include "core/predict/trust.h"

#include <algorithm>
#include <ostream>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t MostDevices = 5; ///< listed; --json has all

    /// A device beside its rank.
    struct BusyDevice
    {
        int rank;
        std::int64_t iterations; ///< of the rank that count
        std::int64_t ofNs; ///< these together
        const DeviceEfficiency *device;

        double share() const
        {
            return static_cast<double>(device->loadNs)
                / static_cast<double>(std::max<std::int64_t>(1, ofNs));
        }
    };

    std::vector<BusyDevice> devicesOf(const std::vector<RankEfficiency> &ranks)
    {
        std::vector<BusyDevice> devices;
        for (const RankEfficiency &rank : ranks)
            for (const DeviceEfficiency &device : rank.devices)
                devices.push_back(
                    { rank.rank,
                      static_cast<std::int64_t>(std::max<std::size_t>(1, rank.iterations)),
                      rank.makespanNs, &device });
        return devices;
    }

    /// Those with the largest share of their rank's time; by rank, largest share first. A single
    /// one more takes no more room than that it is left out.
    std::vector<BusyDevice> busiest(std::vector<BusyDevice> devices)
    {
        std::stable_sort(devices.begin(), devices.end(),
                         [](const auto &a, const auto &b) { return a.share() > b.share(); });
        if (devices.size() > MostDevices + 1)
            devices.erase(devices.begin() + MostDevices, devices.end());
        std::stable_sort(devices.begin(), devices.end(),
                         [](const auto &a, const auto &b) { return a.rank < b.rank; });
        return devices;
    }

    /// "-" where there is no order to choose: all work is one device's.
    void addRow(TextTable &table, const BusyDevice &busy)
    {
        const std::int64_t iterations = busy.iterations;
        const SchedulingEfficiency &scheduling = busy.device->scheduling;
        const bool hasOrder = scheduling.speedup > 0;
        table.addRow({ std::to_string(busy.rank), busy.device->device,
                       durationText(busy.device->loadNs / iterations),
                       percentText(busy.share()) + " of " + durationText(busy.ofNs / iterations),
                       hasOrder ? percentText(scheduling.efficiency) : "-" });
    }

    /// What-ifs that change the order of the same work, as far as the trace supports them.
    std::string orderHint(const Prediction &result, const ChangeObstacles &obstacles)
    {
        if (!result.scheduling.hasSaving() || !result.graph || !hasCommunication(*result.graph))
            return {};
        std::string settings = obstacleOf(obstacles, "schedule") ? "" : "schedule";
        if (!obstacleOf(obstacles, "bucket_cap_mb"))
            settings += std::string(settings.empty() ? "" : " or ") + "bucket_cap_mb";
        return settings.empty() ? settings : " Try other orders with " + settings + ".";
    }

} // namespace

std::string meanText(const Prediction &result)
{
    const std::size_t all = result.graph->workerCount(), active = ranksInMean(*result.graph);
    std::string ranks
        = (active < all ? std::to_string(active) + " of " : "") + countText(all, "rank");
    if (!result.serverRanks.empty())
        ranks += " (" + ranksText(result.serverRanks)
            + (result.serverRanks.size() == 1 ? " is a parameter server)"
                                              : " are parameter servers)");
    if (!result.hasIterations)
        return "mean of " + ranks;
    const auto iterations = static_cast<std::size_t>(result.graph->iterationCount);
    const std::size_t warmUp = std::min(result.warmUp(), iterations);
    return "mean of " + countText(iterations, "iteration")
        + (warmUp > 0 ? " (predicted: the last " + std::to_string(iterations - warmUp) + ")" : "")
        + ", " + ranks;
}

const char *schedulingHelp()
{
    return "Scheduling efficiency: 100 %: the busiest device is never idle, so no other order of "
           "the same work is faster. 0 %: nothing overlaps. All ranks' devices count together. A "
           "row of its table compares one device with the others of its rank.";
}

void printScheduling(const Prediction &result, const ChangeObstacles &obstacles, std::ostream &out)
{
    if (result.scheduling.speedup <= 0) {
        out << "Scheduling: one device has all work, nothing could overlap.\n";
        return;
    }
    out << "Scheduling efficiency " << percentText(result.scheduling.efficiency)
        << ": the best order would take at most " << percentText(result.scheduling.largestSaving())
        << " less time." << orderHint(result, obstacles) << "\n";
    const std::vector<BusyDevice> all = devicesOf(result.rankScheduling), devices = busiest(all);
    const bool areSeveral
        = std::any_of(devices.begin(), devices.end(),
                      [](const BusyDevice &device) { return device.iterations > 1; });
    TextTable table({ "rank", "busiest device",
                      areSeveral ? "busy per replayed iteration" : "busy in the replay", "share",
                      "efficiency" });
    for (const BusyDevice &device : devices)
        addRow(table, device);
    table.print(out);
    if (all.size() > devices.size())
        out << "... and " << all.size() - devices.size() << " more (--json lists all)\n";
}

std::string noLinksText(const Prediction &result, const ChangeObstacles &obstacles)
{
    const std::string *const obstacle = obstacleOf(obstacles, "bandwidth_scale");
    if (!result.links.empty() || obstacle == nullptr)
        return {};
    return "Links and Daydream's prediction are not known: " + *obstacle + "\n";
}

std::string trustText(const Prediction &result)
{
    return "Trust: " + std::string(trustLevelName(result.trust))
        + (result.trustReason.empty() ? "." : ". " + result.trustReason);
}

void printReasons(const Prediction &result, std::ostream &out)
{
    out << "Trust: " << trustLevelName(result.trust)
        << ". The replay of the unchanged trace is off by "
        << replayErrorText(result.replayErrorFraction) << ".\n";
    for (const std::string &reason : result.trustReasons)
        out << "  " << reason << "\n";
}

std::string warmUpText(const Prediction &result)
{
    const std::size_t warmUp = result.warmUp();
    if (warmUp == 0)
        return {};
    return "The first " + (warmUp == 1 ? std::string() : std::to_string(warmUp) + " ") + "of "
        + std::to_string(result.graph->iterationCount)
        + (warmUp == 1 ? " replayed iterations does" : " replayed iterations do")
        + " not count: no iteration before leaves communication over.";
}

} // namespace core
