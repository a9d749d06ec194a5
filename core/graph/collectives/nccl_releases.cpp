#include "core/graph/collectives/nccl_releases.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace core {

namespace {

    constexpr double Unlimited = std::numeric_limits<double>::infinity();

    constexpr NcclRelease Releases[] = {
        // v2.17: nInterSteps and intraLat of ncclTopoTuneModel(), caps by compCapIndex.
        { .from = 0,
          .readFrom = 217,
          .readTo = 217,
          .plateauFrom = 90,
          .name = "2.17",
          .onceUs = { { 4.4, 4.4, 0 }, { 3.6, 10.0, 8.4 } },
          .nvLinkUs = { { 0.52, 1.25, 28 }, { 0.47, 1.9, 3.4 } },
          .pciUs = { { 1.0, 1.9, 28 }, { 1.0, 2.5, 5.7 } },
          .networkUs = { { 5.0, 8.5, 28 }, { 2.7, 4.0, 9.6 } },
          .llStepGrowth = 1.8,
          .postUs = 0,
          .spareSteps = 2,
          .llShare = 1.0 / 4,
          .llShareOfGathers = 1.0 / 3,
          .hopperLl = 87.7,
          .blackwellLl = 87.7,
          .lonelyLl128Share = 0.7,
          .mostOfAmpere = 235,
          .mostOfHopper = 370,
          .treePatternShare = 1,
          .plateau = 1.5,
          .latestLl128 = 90,
          .isLonelyRingExposed = false },
        // v2.18.3: the cost of posting to the network, and the tree pattern's share.
        { .from = 218,
          .readFrom = 218,
          .readTo = 218,
          .plateauFrom = 80,
          .name = "2.18",
          .onceUs = { { 6.8, 14.0, 0 }, { 6.6, 14.0, 8.4 } },
          .nvLinkUs = { { 0.6, 1.25, 4 }, { 0.6, 1.9, 3.4 } },
          .pciUs = { { 1.0, 1.9, 6 }, { 1.0, 2.5, 5.7 } },
          .networkUs = { { 5.0, 8.5, 14 }, { 2.7, 4.0, 14.0 } },
          .llStepGrowth = 1,
          .postUs = 1,
          .spareSteps = 2,
          .llShare = 1.0 / 4,
          .llShareOfGathers = 1.0 / 3,
          .hopperLl = 87.7,
          .blackwellLl = 87.7,
          .lonelyLl128Share = 0.7,
          .mostOfAmpere = Unlimited,
          .mostOfHopper = Unlimited,
          .treePatternShare = 0.85,
          .plateau = 1.4,
          .latestLl128 = 90,
          .isLonelyRingExposed = false },
        // v2.20.3; the latencies of v2.22.3 are the same (github.com/NVIDIA/nccl/issues/1334).
        { .from = 219,
          .readFrom = 220,
          .readTo = 222,
          .plateauFrom = 80,
          .name = "2.20",
          .onceUs = { { 6.8, 14.0, 0 }, { 6.6, 14.0, 8.4 } },
          .nvLinkUs = { { 0.6, 1.25, 28 }, { 0.6, 1.9, 3.4 } },
          .pciUs = { { 1.0, 1.9, 28 }, { 1.0, 2.5, 5.7 } },
          .networkUs = { { 5.0, 8.5, 28 }, { 2.7, 4.0, 14.0 } },
          .llStepGrowth = 1,
          .postUs = 1,
          .spareSteps = 2,
          .llShare = 1.0 / 4,
          .llShareOfGathers = 1.0 / 3,
          .hopperLl = 87.7,
          .blackwellLl = 87.7,
          .lonelyLl128Share = 0.7,
          .mostOfAmpere = Unlimited,
          .mostOfHopper = Unlimited,
          .treePatternShare = 0.85,
          .plateau = 1.4,
          .latestLl128 = 90,
          .isLonelyRingExposed = false },
        // v2.28.3; of rings and trees the same as the first with Blackwell, 2.25, but for LL128 on
        // cards of few architectures.
        { .from = 223,
          .readFrom = 225,
          .readTo = 228,
          .plateauFrom = 80,
          .name = "2.28",
          .onceUs = { { 6.8, 14.0, 8.4 }, { 6.6, 14.0, 8.4 } },
          .nvLinkUs = { { 0.6, 1.25, 4 }, { 0.6, 1.9, 3.4 } },
          .pciUs = { { 1.0, 1.9, 4 }, { 1.0, 2.5, 5.7 } },
          .networkUs = { { 5.0, 8.5, 14 }, { 2.7, 4.0, 14.0 } },
          .llStepGrowth = 1,
          .postUs = 1,
          .spareSteps = 0,
          .llShare = 1.0 / 2,
          .llShareOfGathers = 1.0 / 2,
          .hopperLl = 141,
          .blackwellLl = 282,
          .lonelyLl128Share = 0.92,
          .mostOfAmpere = Unlimited,
          .mostOfHopper = Unlimited,
          .treePatternShare = 0.85,
          .plateau = 1.4,
          .latestLl128 = std::numeric_limits<int>::max(),
          .isLonelyRingExposed = true },
    };

} // namespace

const NcclRelease &ncclRelease(int version)
{
    const auto later
        = std::find_if(std::begin(Releases) + 1, std::end(Releases),
                       [version](const NcclRelease &release) { return release.from > version; });
    return *(later - 1);
}

} // namespace core
