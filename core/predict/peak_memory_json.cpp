#include "core/predict/peak_memory_json.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {

    template <class Value>
    nlohmann::ordered_json orNull(const std::optional<Value> &value)
    {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    }

} // namespace

void addPeakMemory(nlohmann::ordered_json &json, const PeakMemory &memory)
{
    json["peak_memory_bytes"] = orNull(memory.predictedBytes());
    json["measured_peak_memory_bytes"] = orNull(memory.measuredBytes());
    nlohmann::ordered_json details { { "unknown", orNull(memory.unknown) },
                                     { "not_predicted", orNull(memory.notPredicted) },
                                     { "devices", nlohmann::ordered_json::array() },
                                     { "ranks_without", memory.ranksWithout } };
    for (const MemoryPeak &peak : memory.devices)
        details["devices"].push_back({ { "rank", peak.rank },
                                       { "device", orNull(peak.device) },
                                       { "events", peak.events },
                                       { "start_bytes", peak.startBytes },
                                       { "measured_bytes", peak.measuredBytes },
                                       { "predicted_bytes", orNull(peak.predictedBytes) } });
    json["memory"] = std::move(details);
}

} // namespace core
