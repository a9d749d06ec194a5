#include "core/change/settings.h"

#include "core/base/error.h"
#include "core/change/setting_rank.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>

namespace core {

namespace {

    using Number = std::optional<double> ScenarioSettings::*;
    using NumberOfRank = std::map<int, double> ScenarioSettings::*;
    using NumberOfRanks = std::map<std::vector<int>, double> ScenarioSettings::*;

    /// Of world_size. What is not recorded is the same for any number of ranks, so nothing but the
    /// jobs that there are bounds it: the largest have somewhat more than 100,000 (Si et al.,
    /// Collective Communication for 100k+ GPUs, arXiv 2510.20171); the next power of two.
    constexpr double MostWorldSize = 131'072;

    constexpr std::string_view Switch = "0 or 1"; ///< unit of what is on or off

    struct Key
    {
        std::string_view name;
        Number field;
        double least, most;
        std::string_view unit;
        bool isWhole = false;
        // Null where there is no such key.
        NumberOfRank ofRank = nullptr; ///< for "name:RANK"
        NumberOfRanks ofRanks = nullptr; ///< for "name:RANKS"
        std::string_view why = {}; ///< of `most`, with what to do
    };

    constexpr std::array<Key, 18> Keys { {
        { "bucket_cap_mb", &ScenarioSettings::bucketCapMb, 1e-3, 1e6, "MiB" },
        { "first_bucket_mb", &ScenarioSettings::firstBucketMb, 1e-3, 1e6, "MiB" },
        { "fusion_threshold_bytes", &ScenarioSettings::fusionThresholdBytes, 1, 1e12, "bytes",
          true },
        { "cycle_time_ms", &ScenarioSettings::cycleTimeMs, 0, 1e5, "ms" },
        { "partition_bytes", &ScenarioSettings::partitionBytes, 1, 1e12, "bytes", true },
        { "credit_bytes", &ScenarioSettings::creditBytes, 1, 1e12, "bytes", true },
        { "bandwidth_mbit", &ScenarioSettings::bandwidthMbit, 1e-3, 1e9, "Mbit/s", false,
          &ScenarioSettings::bandwidthMbitOf },
        { "bandwidth_scale", &ScenarioSettings::bandwidthScale, 1e-3, 1e6, "factor" },
        { "latency_us", &ScenarioSettings::latencyUs, 0, 1e7, "us" },
        { "world_size", &ScenarioSettings::worldSize, 1, MostWorldSize, "ranks", true, nullptr,
          nullptr,
          "No job is known that has more. The recorded ranks stand for all: take a number that is "
          "near theirs, or record more ranks." },
        { "compute_scale", &ScenarioSettings::computeScale, 1e-3, 1e3, "factor", false,
          &ScenarioSettings::computeScaleOf },
        { "batch_scale", &ScenarioSettings::batchScale, 1e-3, 1e3, "factor" },
        { "host_overhead_scale", &ScenarioSettings::hostOverheadScale, 0, 1e3, "factor" },
        { "comm_scale", &ScenarioSettings::commScale, 0, 1e3, "factor", false, nullptr,
          &ScenarioSettings::commScaleOf },
        { "input_scale", &ScenarioSettings::inputScale, 0, 1e3, "factor" },
        { "ideal_peers", &ScenarioSettings::idealPeers, 0, 1, Switch, true },
        { "ideal_pipeline", &ScenarioSettings::idealPipeline, 0, 1, Switch, true },
        { "expand", &ScenarioSettings::expand, 0, 1, Switch, true },
    } };

    constexpr std::string_view ScheduleKey = "schedule";
    constexpr std::string_view ScheduleValues = "wfbp, fifo or p3";
    constexpr std::string_view CollectiveKey = "collective";
    constexpr std::string_view CollectiveValues = "ring, tree, hierarchical or ps:N (N servers)";

    /// Whole numbers with all of their digits: nobody sets 1e+11 bytes.
    std::string numberText(double value)
    {
        constexpr double LargestPlain = 1e15;
        std::array<char, 32> text {};
        char *const end = text.data() + text.size();
        const bool isPlain = value == std::floor(value) && std::abs(value) < LargestPlain;
        const auto written = isPlain
            ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
            : std::to_chars(text.data(), end, value, std::chars_format::general, 10);
        return { text.data(), written.ptr };
    }

    std::optional<int> wholeNumber(std::string_view text)
    {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0)
            return {};
        return value;
    }

    /// "4-7", "0,4", "0,4-5" in ascending order, two ranks or more; empty: it is no such list.
    std::vector<int> ranksIn(std::string_view text)
    {
        constexpr int MostRanks = static_cast<int>(MostWorldSize);
        std::set<int> ranks;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(',', begin), text.size());
            const std::string_view item = text.substr(begin, end - begin);
            const std::size_t dash = std::min(item.find('-'), item.size());
            const auto first = wholeNumber(item.substr(0, dash));
            const auto last = dash < item.size() ? wholeNumber(item.substr(dash + 1)) : first;
            if (!first || !last || *last < *first || *last >= MostRanks)
                return {};
            for (int rank = *first; rank <= *last; ++rank)
                if (!ranks.insert(rank).second)
                    return {};
            begin = end + 1;
        }
        return ranks.size() > 1 ? std::vector<int>(ranks.begin(), ranks.end()) : std::vector<int>();
    }

    double parseNumber(const std::string &word, const Key &key, const std::string &text)
    {
        // Not strtod, which goes by the locale.
        double value = 0;
        const char *end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        const bool isGood = read.ec == std::errc() && read.ptr == end && std::isfinite(value)
            && value >= key.least && value <= key.most
            && (!key.isWhole || value == std::floor(value));
        if (!isGood && key.unit == Switch)
            throw UsageError("'" + word + "': " + std::string(key.name) + " is "
                             + std::string(Switch) + ".");
        if (!isGood)
            throw UsageError("'" + word + "': " + std::string(key.name) + " takes a "
                             + (key.isWhole ? "whole " : "") + "number from "
                             + numberText(key.least) + " to " + numberText(key.most) + " ("
                             + std::string(key.unit) + ")."
                             + (value > key.most && !key.why.empty() ? " " + std::string(key.why)
                                                                     : std::string()));
        return value;
    }

    CollectiveChoice parseCollective(const std::string &word, std::string_view text)
    {
        if (text == "ring")
            return { CollectiveAlgorithm::Ring, 1 };
        if (text == "tree")
            return { CollectiveAlgorithm::Tree, 1 };
        if (text == "hierarchical")
            return { CollectiveAlgorithm::Hierarchical, 1 };
        if (text.starts_with("ps:"))
            if (const auto servers = wholeNumber(text.substr(3)); servers && *servers > 0)
                return { CollectiveAlgorithm::ParameterServer, *servers };
        throw UsageError("'" + word + "': collective is " + std::string(CollectiveValues) + ".");
    }

    std::string textOf(const CollectiveChoice &choice)
    {
        switch (choice.algorithm) {
        case CollectiveAlgorithm::Ring:
            break;
        case CollectiveAlgorithm::Tree:
            return "tree";
        case CollectiveAlgorithm::Hierarchical:
            return "hierarchical";
        case CollectiveAlgorithm::ParameterServer:
            return "ps:" + std::to_string(choice.servers);
        }
        return "ring";
    }

    void setOfRanks(const std::string &word, const Key &key, std::string_view whose, double value,
                    ScenarioSettings &settings)
    {
        std::vector<int> ranks = ranksIn(whose);
        if (ranks.empty())
            throw UsageError("'" + word + "': behind " + std::string(key.name)
                             + ": come the ranks of a group, two or more, as 4-7 or 0,4.");
        if (!(settings.*key.ofRanks).emplace(std::move(ranks), value).second)
            throw UsageError("'" + word + "' is given twice. Give it once.");
    }

    void parseWord(const std::string &word, ScenarioSettings &settings)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            throw UsageError("'" + word + "' is not of the form KEY=VALUE. Keys: " + settingKeys()
                             + ".");
        const std::string whole = word.substr(0, equals);
        const std::string text = word.substr(equals + 1);
        if (whole == CollectiveKey) {
            settings.collective = parseCollective(word, text);
            return;
        }
        if (whole == ScheduleKey) {
            settings.schedule = scheduleNamed(text);
            if (!settings.schedule)
                throw UsageError("'" + word + "': schedule is " + std::string(ScheduleValues)
                                 + ".");
            return;
        }
        const auto colon = whole.find(':');
        const std::string name = whole.substr(0, colon);
        for (const Key &key : Keys) {
            if (key.name != name || (colon != std::string::npos && !key.ofRank && !key.ofRanks))
                continue;
            const double value = parseNumber(word, key, text);
            if (colon == std::string::npos) {
                settings.*key.field = value;
                return;
            }
            const std::string_view whose = std::string_view(whole).substr(colon + 1);
            if (key.ofRanks) {
                setOfRanks(word, key, whose, value, settings);
                return;
            }
            const auto rank = wholeNumber(whose);
            if (!rank)
                throw UsageError("'" + word + "': behind " + name
                                 + ": comes the number of one rank, as in " + name
                                 + ":0. Give it once for each rank.");
            if (!(settings.*key.ofRank).emplace(*rank, value).second)
                throw UsageError("'" + word + "': " + name + " of rank " + std::to_string(*rank)
                                 + " is given twice. Give it once.");
            return;
        }
        throw UsageError("Unknown setting '" + whole + "'. Keys: " + settingKeys() + ".");
    }

    /// A job of `world_size` ranks has those from 0 on.
    void refuseMissingRanks(const ScenarioSettings &settings)
    {
        if (!settings.worldSize)
            return;
        const auto refuse = [&](std::string_view key, int rank) {
            if (rank >= *settings.worldSize)
                throw UsageError(std::string(key) + " of rank " + std::to_string(rank)
                                 + ": with world_size=" + numberText(*settings.worldSize)
                                 + " there is no such rank. Leave one of them away.");
        };
        for (const Key &key : Keys)
            if (key.ofRank)
                for (const auto &[rank, value] : settings.*key.ofRank)
                    refuse(key.name, rank);
        for (const auto &[ranks, value] : settings.commScaleOf)
            for (const int rank : ranks)
                refuse("comm_scale", rank);
    }

    /// Gradients are sent in buckets, in Horovod's fusion buffers, or in slices.
    void refuseContradictions(const ScenarioSettings &settings)
    {
        const bool hasBuckets = settings.bucketCapMb || settings.firstBucketMb;
        const bool hasFusion = settings.fusionThresholdBytes || settings.cycleTimeMs;
        const bool isSliced = settings.schedule && *settings.schedule != Schedule::Wfbp;
        if (hasBuckets && hasFusion)
            throw UsageError("fusion_threshold_bytes and cycle_time_ms are about Horovod, which "
                             "has no buckets: leave bucket_cap_mb and first_bucket_mb away.");
        if (isSliced && (hasBuckets || hasFusion))
            throw UsageError("schedule=" + std::string(scheduleName(*settings.schedule))
                             + " sends slices: leave bucket_cap_mb, first_bucket_mb, "
                               "fusion_threshold_bytes and cycle_time_ms away.");
        if (!isSliced && (settings.partitionBytes || settings.creditBytes)
            && (settings.schedule || hasBuckets || hasFusion))
            throw UsageError("partition_bytes and credit_bytes are about slices: leave them away, "
                             "or give schedule=fifo or schedule=p3 without settings of buckets.");
        if (settings.expand.value_or(0) != 0 && settings.worldSize)
            throw UsageError("expand=1 shows what the recorded ranks send: leave world_size away.");
        refuseMissingRanks(settings);
    }

} // namespace

std::vector<std::pair<std::string, std::string>> ScenarioSettings::list() const
{
    std::vector<std::pair<std::string, std::string>> set;
    for (const Key &key : Keys) {
        if (const auto &value = this->*key.field)
            set.emplace_back(key.name, numberText(*value));
        if (key.ofRank)
            for (const auto &[rank, value] : this->*key.ofRank)
                set.emplace_back(std::string(key.name) + ":" + std::to_string(rank),
                                 numberText(value));
        if (key.ofRanks)
            for (const auto &[ranks, value] : this->*key.ofRanks)
                set.emplace_back(std::string(key.name) + ":" + settingRanksText(ranks),
                                 numberText(value));
    }
    if (schedule)
        set.emplace_back(ScheduleKey, scheduleName(*schedule));
    if (collective)
        set.emplace_back(CollectiveKey, textOf(*collective));
    return set;
}

std::string settingKeys()
{
    std::string list;
    for (const Key &key : Keys)
        list += std::string(key.name)
            + (key.ofRank        ? "[:RANK]"
                   : key.ofRanks ? "[:RANKS]"
                                 : "")
            + " (" + std::string(key.unit) + "), ";
    return list + std::string(ScheduleKey) + " (" + std::string(ScheduleValues) + "), "
        + std::string(CollectiveKey) + " (" + std::string(CollectiveValues) + ")";
}

ScenarioSettings parseSettings(const std::vector<std::string> &words)
{
    ScenarioSettings settings;
    std::set<std::string> keys;
    for (const std::string &word : words) {
        const std::string key = word.substr(0, word.find('='));
        if (!keys.insert(key).second)
            throw UsageError("'" + key + "' is given twice. Give it once.");
        parseWord(word, settings);
    }
    if (settings.bandwidthMbit && settings.bandwidthScale)
        throw UsageError(
            "bandwidth_mbit and bandwidth_scale contradict each other; give one of them.");
    refuseContradictions(settings);
    return settings;
}

} // namespace core
