#include "core/commands/memory_text.h"

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
        out << "peak memory: not known: " << memory.unknown.value_or("") << "\n";
        return;
    }
    const auto largest = std::max_element(memory.devices.begin(), memory.devices.end(),
                                          [](const MemoryPeak &a, const MemoryPeak &b) {
                                              return a.predictedBytes.value_or(a.measuredBytes)
                                                  < b.predictedBytes.value_or(b.measuredBytes);
                                          });
    out << "peak memory: measured " << bytesText(*memory.measuredBytes()) << ", predicted ";
    if (const auto predicted = memory.predictedBytes())
        out << bytesText(*predicted);
    else
        out << "not known: " << memory.notPredicted.value_or("");
    out << " (" << placeText(*largest) << "; " << bytesText(largest->startBytes)
        << " of it from before the first iteration)\n";
    if (!memory.ranksWithout.empty())
        out << "  of " << memory.ranksWithout.size()
            << " other ranks no allocations are recorded\n";
}

} // namespace core
