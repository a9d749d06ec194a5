#include "core/scenario/job_metadata.h"

#include "core/base/ascii_text.h"

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

    int smallInteger(const nlohmann::json &object, const char *key)
    {
        constexpr int Most = 1000;
        if (!object.contains(key) || !object[key].is_number_integer())
            return 0;
        const auto value = object[key].get<std::int64_t>();
        return value > 0 && value <= Most ? static_cast<int>(value) : 0;
    }

    /// Of what Nsight lists by name only.
    int capabilityNamed(const std::string &lowerName)
    {
        constexpr std::pair<const char *, int> Known[]
            = { { "quadro rtx", 75 }, { "p100", 60 },   { "v100", 70 }, { "t4", 75 },
                { "a100", 80 },       { "a800", 80 },   { "a10", 86 },  { "a40", 86 },
                { "rtx a", 86 },      { "rtx 30", 86 }, { "l4", 89 },   { "rtx 40", 89 },
                { "h100", 90 },       { "h200", 90 },   { "h800", 90 }, { "h20", 90 },
                { "b200", 100 } };
        for (const auto &[word, capability] : Known)
            if (lowerName.find(word) != std::string::npos)
                return capability;
        return 0;
    }

    /// HIP's names for what CUDA calls cudaLaunchKernel and the like.
    bool isHipLaunch(std::string_view name)
    {
        return name.starts_with("hipLaunchKernel") || name.starts_with("hipModuleLaunchKernel")
            || name.starts_with("hipExtModuleLaunchKernel");
    }

    void addAccelerator(const nlohmann::json &device, Accelerators &accelerators)
    {
        if (!device.is_object() || !device.contains("name") || !device["name"].is_string())
            return;
        const auto name = device["name"].get<std::string>();
        const std::string lower = lowered(name);
        accelerators.areAmds = accelerators.areAmds || lower.find("amd") != std::string::npos
            || lower.find("instinct") != std::string::npos || lower.starts_with("gfx");
        const int major = smallInteger(device, "computeMajor");
        const int capability = major > 0 ? 10 * major + smallInteger(device, "computeMinor")
                                         : capabilityNamed(lower);
        if (accelerators.name.empty())
            accelerators.name = name;
        if (capability > 0)
            accelerators.computeCapability = accelerators.computeCapability == 0
                ? capability
                : std::min(accelerators.computeCapability, capability);
    }

    void addAccelerators(const nlohmann::json &devices, Accelerators &accelerators)
    {
        if (!devices.is_array())
            return;
        for (const nlohmann::json &device : devices)
            addAccelerator(device, accelerators);
        accelerators.ofHost = std::max(accelerators.ofHost, static_cast<double>(devices.size()));
    }

} // namespace

Accelerators recordedAccelerators(const Trace &trace)
{
    Accelerators accelerators;
    accelerators.areAmds = std::any_of(trace.names.begin(), trace.names.end(), isHipLaunch);
    for (const JobMetadata &metadata : trace.metadata) {
        // FILE#KEY
        const bool isNsight = metadata.name.ends_with("#nsight");
        const bool isList = metadata.name.ends_with("#devices");
        if (!isNsight && !isList && !metadata.name.ends_with("#profiler"))
            continue;
        const auto json = nlohmann::json::parse(metadata.text, nullptr, false);
        if (isList)
            addAccelerators(json, accelerators);
        else if (isNsight && json.is_object() && json.contains("gpus"))
            addAccelerators(json["gpus"], accelerators);
        else if (json.is_object())
            accelerators.areAmds = accelerators.areAmds || json.contains("hip_runtime_version")
                || json.contains("roctracer_version");
    }
    return accelerators;
}

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

std::optional<double> statedPartitionBytes(const Trace &trace)
{
    return positiveNumber(jobMetadata(trace), "partition_bytes");
}

std::optional<double> statedCreditBytes(const Trace &trace)
{
    return positiveNumber(jobMetadata(trace), "credit_bytes");
}

} // namespace core
