#include "core/change/setting_effects.h"

namespace core {

bool changesRate(const ScenarioSettings &settings)
{
    return settings.bandwidthMbit || settings.bandwidthScale || !settings.bandwidthMbitOf.empty();
}

bool changesTransfers(const ScenarioSettings &settings)
{
    return changesRate(settings) || settings.latencyUs || settings.worldSize || settings.collective;
}

bool regroupsGradients(const ScenarioSettings &settings)
{
    return settings.bucketCapMb || settings.firstBucketMb || settings.fusionThresholdBytes
        || settings.cycleTimeMs || settings.schedule || settings.partitionBytes
        || settings.creditBytes;
}

bool restsOnLinks(const ScenarioSettings &settings)
{
    return changesTransfers(settings) || regroupsGradients(settings);
}

bool restsOnLatency(const ScenarioSettings &settings)
{
    return settings.latencyUs || settings.worldSize || settings.collective
        || regroupsGradients(settings);
}

bool changesShares(const ScenarioSettings &settings)
{
    return settings.idealPeers.value_or(0) != 0 || !settings.computeScaleOf.empty();
}

} // namespace core
