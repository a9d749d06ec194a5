#include "collectors/cupti/settings.h"

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace collectors {

namespace {

    std::string environmentText(const char *name)
    {
        const char *text = std::getenv(name);
        return text != nullptr ? text : "";
    }

    /// The program may change its folder while the file is looked at.
    std::string absolutePath(const std::string &path)
    {
        std::error_code error; // of a working folder that is gone
        const std::filesystem::path absolute = std::filesystem::absolute(path, error);
        return path.empty() || error ? path : absolute.string();
    }

    std::optional<std::int64_t> parseCount(std::string_view text, std::string_view &rest)
    {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || value < 0)
            return std::nullopt;
        rest = text.substr(static_cast<std::size_t>(end - text.data()));
        return value;
    }

    void complain(CuptiSettings &settings, const char *name, const char *expected)
    {
        settings.complaints.push_back(std::string(name) + "=" + environmentText(name)
                                      + " is not understood and was ignored: use " + expected);
    }

    void readMoment(CuptiSettings &settings, const char *name, std::optional<Moment> &moment)
    {
        const std::string text = environmentText(name);
        if (text.empty())
            return;
        moment = parseMoment(text);
        if (!moment)
            complain(settings, name, "a number of iterations (20) or a time (30s, 500ms)");
    }

    std::int64_t readNumber(CuptiSettings &settings, const char *name, std::int64_t least,
                            std::int64_t most, std::int64_t otherwise)
    {
        const std::string text = environmentText(name);
        if (text.empty())
            return otherwise;
        std::string_view rest;
        const std::optional<std::int64_t> value = parseCount(text, rest);
        if (value && rest.empty() && *value >= least && *value <= most)
            return *value;
        const std::string range
            = "a number from " + std::to_string(least) + " to " + std::to_string(most);
        complain(settings, name, range.c_str());
        return otherwise;
    }

    struct GroupName
    {
        std::string_view name;
        unsigned group;
    };
    constexpr std::array GroupNames
        = { GroupName { "kernel", GroupKernels },  GroupName { "copy", GroupCopies },
            GroupName { "runtime", GroupRuntime }, GroupName { "driver", GroupDriver },
            GroupName { "sync", GroupSync },       GroupName { "external", GroupExternal },
            GroupName { "all", AllGroups },        GroupName { "none", 0 } };

    void readGroups(CuptiSettings &settings)
    {
        const char *variable = "LONGPOLE_CUPTI_KINDS";
        const std::string text = environmentText(variable);
        if (text.empty())
            return;
        unsigned groups = 0;
        std::string_view rest = text;
        while (!rest.empty()) {
            const std::size_t comma = rest.find(',');
            const std::string_view item = rest.substr(0, comma);
            rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
            const GroupName *found = nullptr;
            for (const GroupName &known : GroupNames)
                found = known.name == item ? &known : found;
            if (found == nullptr)
                return complain(settings, variable,
                                "a list of kernel,copy,runtime,driver,sync,external, or none");
            groups |= found->group;
        }
        settings.groups = groups;
    }

    void readGraphs(CuptiSettings &settings)
    {
        const std::string text = environmentText("LONGPOLE_GRAPHS");
        if (text == "whole")
            settings.graphs = GraphMode::Whole;
        else if (text == "late")
            settings.graphs = GraphMode::Late;
        else if (!text.empty() && text != "nodes")
            complain(settings, "LONGPOLE_GRAPHS", "nodes, late or whole");
    }

    void readSignal(CuptiSettings &settings)
    {
        const std::string text = environmentText("LONGPOLE_SIGNAL");
        if (text == "USR1" || text == "SIGUSR1")
            settings.signal = SIGUSR1;
        else if (text == "USR2" || text == "SIGUSR2")
            settings.signal = SIGUSR2;
        else if (!text.empty())
            complain(settings, "LONGPOLE_SIGNAL", "USR1 or USR2");
    }

} // namespace

std::optional<Moment> parseMoment(const std::string &text)
{
    constexpr std::int64_t NsPerMs = 1'000'000;
    constexpr std::int64_t Largest = 1'000'000'000; // ms: 11 days
    std::string_view unit;
    const std::optional<std::int64_t> value = parseCount(text, unit);
    if (!value)
        return std::nullopt;
    if (unit.empty() || unit == "it")
        return Moment { true, *value };
    if (unit == "ms" && *value <= Largest)
        return Moment { false, *value * NsPerMs };
    if (unit == "s" && *value <= Largest / 1000)
        return Moment { false, *value * 1000 * NsPerMs };
    return std::nullopt;
}

CuptiSettings readCuptiSettings()
{
    CuptiSettings settings;
    if (std::string folder = environmentText("LONGPOLE_OUT"); !folder.empty())
        settings.folder = std::move(folder);
    readMoment(settings, "LONGPOLE_START", settings.start);
    readMoment(settings, "LONGPOLE_STOP", settings.stop);
    readMoment(settings, "LONGPOLE_DURATION", settings.duration);
    settings.every = readNumber(settings, "LONGPOLE_EVERY", 1, 1'000'000'000, 1);
    settings.iterationRange = environmentText("LONGPOLE_ITERATION_RANGE");
    readSignal(settings);
    settings.controlFile = absolutePath(environmentText("LONGPOLE_CONTROL"));
    readGroups(settings);
    readGraphs(settings);
    settings.libcupti = environmentText("LONGPOLE_LIBCUPTI");
    settings.flushNs = readNumber(settings, "LONGPOLE_FLUSH_MS", 10, 60'000, 500) * 1'000'000;
    settings.bufferBytes
        = static_cast<std::size_t>(readNumber(settings, "LONGPOLE_BUFFER_MIB", 8, 65'536, 256))
        << 20U;
    return settings;
}

} // namespace collectors
