#include "core/base/error.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace core {

namespace {

    struct Key
    {
        std::string_view name;
        std::optional<double> ScenarioSettings::*field;
        double least, most;
        std::string_view unit;
    };

    constexpr std::array<Key, 4> Keys { {
        { "bucket_cap_mb", &ScenarioSettings::bucketCapMb, 1e-3, 1e6, "MiB" },
        { "first_bucket_mb", &ScenarioSettings::firstBucketMb, 1e-3, 1e6, "MiB" },
        { "bandwidth_mbit", &ScenarioSettings::bandwidthMbit, 1e-3, 1e9, "Mbit/s" },
        { "bandwidth_scale", &ScenarioSettings::bandwidthScale, 1e-3, 1e6, "factor" },
    } };

    std::string numberText(double value)
    {
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%.10g", value);
        return text.data();
    }

    std::string keyList()
    {
        std::string list;
        for (const Key &key : Keys)
            list += (list.empty() ? "" : ", ") + std::string(key.name) + " ("
                + std::string(key.unit) + ")";
        return list;
    }

    void parseWord(const std::string &word, ScenarioSettings &settings)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
            throw UsageError("'" + word + "' is not of the form KEY=VALUE. Keys: " + keyList()
                             + ".");
        const std::string name = word.substr(0, equals);
        const std::string text = word.substr(equals + 1);
        for (const Key &key : Keys) {
            if (key.name != name)
                continue;
            char *end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            if (text.empty() || *end != '\0' || !std::isfinite(value) || value < key.least
                || value > key.most)
                throw UsageError("'" + word + "': " + name + " takes a number from "
                                 + numberText(key.least) + " to " + numberText(key.most) + " ("
                                 + std::string(key.unit) + ").");
            settings.*key.field = value;
            return;
        }
        throw UsageError("Unknown setting '" + name + "'. Keys: " + keyList() + ".");
    }

} // namespace

std::vector<std::pair<std::string, std::string>> ScenarioSettings::list() const
{
    std::vector<std::pair<std::string, std::string>> set;
    for (const Key &key : Keys)
        if (const auto &value = this->*key.field)
            set.emplace_back(key.name, numberText(*value));
    return set;
}

ScenarioSettings parseSettings(const std::vector<std::string> &words)
{
    ScenarioSettings settings;
    for (const std::string &word : words)
        parseWord(word, settings);
    if (settings.bandwidthMbit && settings.bandwidthScale)
        throw UsageError(
            "bandwidth_mbit and bandwidth_scale contradict each other; give one of them.");
    return settings;
}

} // namespace core
