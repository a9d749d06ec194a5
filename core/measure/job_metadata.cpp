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

    std::optional<double> positiveNumber(const nlohmann::json &object, const char *key,
                                         double most = LargestNumber)
    {
        if (!object.contains(key) || !object[key].is_number())
            return {};
        const auto value = object[key].get<double>();
        return value > 0 && value <= most ? std::optional<double>(value) : std::nullopt;
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

    /// Empty unless all are sizes.
    std::vector<std::uint64_t> gradientSizes(const nlohmann::json &meta)
    {
        if (!meta.contains("gradient_sizes") || !meta["gradient_sizes"].is_array())
            return {};
        std::vector<std::uint64_t> sizes;
        for (const nlohmann::json &size : meta["gradient_sizes"]) {
            const auto bytes = size.is_number_unsigned() ? size.get<std::uint64_t>() : 0;
            if (bytes == 0 || bytes > MostGradientBytes)
                return {};
            sizes.push_back(bytes);
        }
        return sizes;
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

    /// "2.21.5": {2, 21}; empty where it does not begin so.
    std::optional<std::pair<int, int>> majorAndMinor(std::string_view text)
    {
        constexpr int Most = 99;
        std::pair<int, int> version;
        const char *const end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), end, version.first);
        if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.'
            || std::from_chars(first.ptr + 1, end, version.second).ec != std::errc())
            return {};
        const auto isSmall = [](int number) { return number >= 0 && number <= Most; };
        return isSmall(version.first) && isSmall(version.second) ? std::optional(version)
                                                                 : std::nullopt;
    }

    /// Bytes of an element of a type as PyTorch names it; 0: none that gradients have.
    int elementBytesOf(std::string_view type)
    {
        if (type == "float16" || type == "bfloat16")
            return 2;
        if (type == "float32")
            return 4;
        return type == "float64" ? 8 : 0;
    }

    /// Content of the first file that is named meta.json; null where there is none, or it is no
    /// object.
    nlohmann::json metaOf(const std::vector<JobMetadata> &metadata)
    {
        for (const JobMetadata &one : metadata)
            if (one.name.ends_with("meta.json")) {
                auto meta = nlohmann::json::parse(one.text, nullptr, false);
                return meta.is_object() ? meta : nlohmann::json();
            }
        return {};
    }

    /// "2.21.5": 221. Some write it as NCCL's header does: 22105, and before 2.9 2708.
    std::optional<int> ncclVersionOf(std::string_view text)
    {
        int number = 0;
        const char *const end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), end, number);
        if (first.ec == std::errc() && first.ptr == end && number >= 1'000 && number < 100'000)
            return number >= 10'000 ? number / 100 : number / 1'000 * 100 + number / 100 % 10;
        const auto version = majorAndMinor(text);
        if (!version || version->first < 1 || version->first > 9)
            return {};
        return 100 * version->first + version->second;
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

    std::vector<StatedParameter> parametersIn(const nlohmann::json &meta)
    {
        std::vector<StatedParameter> parameters;
        if (!meta.contains("buckets") || !meta["buckets"].is_array())
            return parameters;
        for (const nlohmann::json &bucket : meta["buckets"]) {
            if (!bucket.is_object() || !bucket.contains("parameters")
                || !bucket["parameters"].is_array())
                return {};
            for (const nlohmann::json &one : bucket["parameters"]) {
                if (!one.is_object() || !one.contains("name") || !one["name"].is_string()
                    || !one.contains("bytes") || !one["bytes"].is_number_unsigned())
                    return {};
                parameters.push_back(
                    { one["name"].get<std::string>(), one["bytes"].get<std::uint64_t>() });
            }
        }
        return parameters;
    }

    /// A meta.json's.
    StatedJob statedIn(const nlohmann::json &meta)
    {
        StatedJob stated;
        stated.linkMbit = linkRates(meta);
        stated.bandwidthMbit = stated.linkMbit.empty()
            ? positiveNumber(meta, "bandwidth_mbit")
            : *std::min_element(stated.linkMbit.begin(), stated.linkMbit.end());
        stated.bucketCapMb = positiveNumber(meta, "bucket_cap_mb");
        stated.partitionBytes = positiveNumber(meta, "partition_bytes");
        stated.creditBytes = positiveNumber(meta, "credit_bytes");
        stated.gradientBytes = gradientSizes(meta);
        if (stated.gradientBytes.empty())
            for (const StatedParameter &parameter : parametersIn(meta))
                stated.gradientBytes.push_back(parameter.bytes);
        return stated;
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

std::optional<int> statedTorchVersion(const Trace &trace)
{
    const nlohmann::json meta = metaOf(trace.metadata);
    if (!meta.contains("torch_version") || !meta["torch_version"].is_string())
        return {};
    const auto version = majorAndMinor(meta["torch_version"].get<std::string>());
    return version ? std::optional(100 * version->first + version->second) : std::nullopt;
}

std::vector<StatedParameter> statedParameters(const Trace &trace)
{
    return parametersIn(metaOf(trace.metadata));
}

std::optional<int> statedElementBytes(const Trace &trace)
{
    const nlohmann::json meta = metaOf(trace.metadata);
    if (!meta.contains("parameter_table")) {
        constexpr double MostBytes = 1e15;
        const auto parameters = positiveNumber(meta, "parameters", MostBytes);
        const auto bytes = positiveNumber(meta, "gradient_bytes", MostBytes);
        for (const int size : { 2, 4, 8 })
            if (parameters && bytes && *bytes == size * *parameters)
                return size;
        return {};
    }
    std::optional<int> all;
    for (const nlohmann::json &one : meta["parameter_table"]) {
        const bool isText = one.is_object() && one.contains("dtype") && one["dtype"].is_string();
        const int bytes = elementBytesOf(isText ? one["dtype"].get<std::string>() : std::string());
        if (bytes == 0 || (all && *all != bytes))
            return {};
        all = bytes;
    }
    return all;
}

GivenFacts givenFacts(const std::vector<JobMetadata> &metadata)
{
    GivenFacts facts;
    for (const JobMetadata &one : metadata) {
        if (one.name != GivenFactsName)
            continue;
        const nlohmann::json json = nlohmann::json::parse(one.text, nullptr, false);
        if (!json.is_object())
            continue;
        facts.gradientBytes = gradientSizes(json);
        facts.linkMbit = positiveNumber(json, "bandwidth_mbit");
    }
    return facts;
}

JobMetadata givenFactsEntry(const GivenFacts &facts)
{
    JobMetadata entry { std::string(GivenFactsName), {} };
    if (facts.isEmpty())
        return entry;
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!facts.gradientBytes.empty())
        json["gradient_sizes"] = facts.gradientBytes;
    if (facts.linkMbit)
        json["bandwidth_mbit"] = *facts.linkMbit;
    entry.text = json.dump();
    return entry;
}

StatedJob statedJob(const std::vector<JobMetadata> &metadata)
{
    const nlohmann::json meta = metaOf(metadata);
    StatedJob stated = meta.is_object() ? statedIn(meta) : StatedJob();
    const GivenFacts given = givenFacts(metadata);
    if (!given.gradientBytes.empty())
        stated.gradientBytes = given.gradientBytes;
    if (given.linkMbit) {
        stated.bandwidthMbit = given.linkMbit;
        stated.linkMbit.clear();
    }
    return stated;
}

} // namespace core
