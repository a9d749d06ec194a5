#include "core/commands/text/memory_text.h"

#include "core/base/duration_text.h"

#include <algorithm>
#include <ostream>

namespace core {

namespace {

    std::string placeText(const MemoryPeak &peak)
    {
        return "rank " + std::to_string(peak.rank)
            + (peak.device ? ", device " + std::to_string(*peak.device) : ", host memory");
    }

} // namespace

void printPeakMemory(const PeakMemory &memory, std::ostream &out)
{
    if (memory.devices.empty()) {
        out << "Peak memory is not known: " << memory.unknown.value_or("") << "\n";
        return;
    }
    const auto measured = std::max_element(
        memory.devices.begin(), memory.devices.end(),
        [](const MemoryPeak &a, const MemoryPeak &b) { return a.measuredBytes < b.measuredBytes; });
    out << "Peak memory: measured " << bytesText(measured->measuredBytes) << " ("
        << placeText(*measured) << "; " << bytesText(measured->startBytes)
        << " of it from before the first iteration), predicted ";
    if (memory.predictedBytes()) {
        const auto predicted = std::max_element(memory.devices.begin(), memory.devices.end(),
                                                [](const MemoryPeak &a, const MemoryPeak &b) {
                                                    return a.predictedBytes < b.predictedBytes;
                                                });
        out << bytesText(*predicted->predictedBytes)
            << (predicted == measured ? "" : " (" + placeText(*predicted) + ")") << "\n";
    } else {
        out << "not known: " << memory.notPredicted.value_or("") << "\n";
    }
    if (!memory.ranksWithout.empty())
        out << "  of " << countText(memory.ranksWithout.size(), "other rank")
            << " no allocations are recorded\n";
}

} // namespace core
