#include "core/scenario/job_metadata.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

namespace {

    /// Larger numbers in a file from outside are damage: a petabit a second, an exbibyte.
    constexpr double LargestNumber = 1e9;

    nlohmann::json jobMetadata(const Trace &trace)
    {
        for (const JobMetadata &metadata : trace.metadata)
            if (metadata.name.ends_with("meta.json"))
                return nlohmann::json::parse(metadata.text, nullptr, false);
        return {};
    }

    std::optional<double> positiveNumber(const nlohmann::json &object, const char *key)
    {
        if (!object.is_object() || !object.contains(key) || !object[key].is_number())
            return {};
        const auto value = object[key].get<double>();
        return value > 0 && value <= LargestNumber ? std::optional<double>(value) : std::nullopt;
    }

} // namespace

std::vector<double> linkRatesMbit(const Trace &trace)
{
    const nlohmann::json meta = jobMetadata(trace);
    if (!meta.is_object() || !meta.contains("link_mbit") || !meta["link_mbit"].is_array())
        return {};
    std::vector<double> rates;
    for (const nlohmann::json &rate : meta["link_mbit"]) {
        const double mbit = rate.is_number() ? rate.get<double>() : 0;
        if (mbit <= 0 || mbit > LargestNumber)
            return {};
        rates.push_back(mbit);
    }
    return rates;
}

std::optional<double> nominalBandwidthMbit(const Trace &trace)
{
    const std::vector<double> rates = linkRatesMbit(trace);
    if (!rates.empty())
        return *std::min_element(rates.begin(), rates.end());
    return positiveNumber(jobMetadata(trace), "bandwidth_mbit");
}

std::optional<double> recordedBucketCapMb(const Trace &trace)
{
    return positiveNumber(jobMetadata(trace), "bucket_cap_mb");
}

} // namespace core
