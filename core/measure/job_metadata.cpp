#include "core/measure/job_metadata.h"

#include "core/base/ascii_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace core {

namespace {

    /// Larger numbers in a file from outside are damage: a petabit a second, an exbibyte.
    constexpr double LargestNumber = 1e9;

    std::optional<double> positiveNumber(const nlohmann::json &object, const char *key)
    {
        if (!object.contains(key) || !object[key].is_number())
            return {};
        const auto value = object[key].get<double>();
        return value > 0 && value <= LargestNumber ? std::optional<double>(value) : std::nullopt;
    }

    /// Empty unless all are rates.
    std::vector<double> linkRates(const nlohmann::json &meta)
    {
        if (!meta.contains("link_mbit") || !meta["link_mbit"].is_array())
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
        // developer.nvidia.com/cuda-gpus and its list of older ones. The first that fits counts:
        // workstation cards go by their generation, whose numbers others have, too.
        constexpr std::pair<const char *, int> Known[]
            = { { "blackwell", 120 }, { " ada", 89 },    { "quadro rtx", 75 }, { "titan rtx", 75 },
                { "rtx a", 86 },      { "rtx 20", 75 },  { "gtx 16", 75 },     { "rtx 30", 86 },
                { "rtx 40", 89 },     { "rtx 50", 120 }, { "p100", 60 },       { "v100", 70 },
                { "titan v", 70 },    { "t4", 75 },      { "a100", 80 },       { "a800", 80 },
                { "a30", 80 },        { "a10", 86 },     { "a16", 86 },        { "a40", 86 },
                { "l4", 89 },         { "l20", 89 },     { "h100", 90 },       { "h200", 90 },
                { "h800", 90 },       { "h20", 90 },     { "b100", 100 },      { "b200", 100 },
                { "b300", 103 },      { "gb10", 121 } };
        for (const auto &[word, capability] : Known)
            if (lowerName.find(word) != std::string::npos)
                return capability;
        return 0;
    }

    /// HIP's names for what CUDA calls cudaLaunchKernel and the like, and those of kernels of RCCL
    /// and of Tensile, whose products of matrices ROCm's libraries are.
    bool isOfRocm(std::string_view name)
    {
        return name.starts_with("hipLaunchKernel") || name.starts_with("hipModuleLaunchKernel")
            || name.starts_with("hipExtModuleLaunchKernel") || name.starts_with("rccl")
            || name.starts_with("Cijk_");
    }

    /// "2.21.5": 221. Some write it as NCCL's header does: 22105, and before 2.9 2708.
    std::optional<int> ncclVersionOf(std::string_view text)
    {
        int major = 0, minor = 0;
        const char *end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), end, major);
        if (first.ec != std::errc())
            return {};
        if (first.ptr == end && major >= 1'000 && major < 100'000)
            return major >= 10'000 ? major / 100 : major / 1'000 * 100 + major / 100 % 10;
        if (first.ptr == end || *first.ptr != '.'
            || std::from_chars(first.ptr + 1, end, minor).ec != std::errc() || major < 1
            || major > 9 || minor < 0 || minor > 99)
            return {};
        return 100 * major + minor;
    }

    std::optional<int> ncclVersionIn(const nlohmann::json &object)
    {
        if (!object.is_object() || !object.contains("nccl_version"))
            return {};
        const nlohmann::json &value = object["nccl_version"];
        return value.is_string() ? ncclVersionOf(value.get<std::string>()) : std::nullopt;
    }

    void addAccelerator(const nlohmann::json &device, Accelerators &accelerators)
    {
        if (!device.is_object() || !device.contains("name") || !device["name"].is_string())
            return;
        const auto name = device["name"].get<std::string>();
        const std::string lower = lowered(name);
        accelerators.areAmds = accelerators.areAmds || lower.find("amd") != std::string::npos
            || lower.find("instinct") != std::string::npos
            || lower.find("radeon") != std::string::npos || lower.starts_with("gfx");
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
    accelerators.areAmds = std::any_of(trace.names.begin(), trace.names.end(), isOfRocm);
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

std::optional<int> statedNcclVersion(const Trace &trace)
{
    for (const JobMetadata &metadata : trace.metadata) {
        if (!metadata.name.ends_with("#profiler") && !metadata.name.ends_with("meta.json"))
            continue;
        const auto json = nlohmann::json::parse(metadata.text, nullptr, false);
        if (const std::optional<int> version = ncclVersionIn(json))
            return version;
    }
    return {};
}

StatedJob statedJob(const std::vector<JobMetadata> &metadata)
{
    const auto file = std::find_if(metadata.begin(), metadata.end(), [](const JobMetadata &one) {
        return one.name.ends_with("meta.json");
    });
    if (file == metadata.end())
        return {};
    const auto meta = nlohmann::json::parse(file->text, nullptr, false);
    if (!meta.is_object())
        return {};
    StatedJob stated;
    stated.linkMbit = linkRates(meta);
    stated.bandwidthMbit = stated.linkMbit.empty()
        ? positiveNumber(meta, "bandwidth_mbit")
        : *std::min_element(stated.linkMbit.begin(), stated.linkMbit.end());
    stated.bucketCapMb = positiveNumber(meta, "bucket_cap_mb");
    stated.partitionBytes = positiveNumber(meta, "partition_bytes");
    stated.creditBytes = positiveNumber(meta, "credit_bytes");
    return stated;
}

} // namespace core
