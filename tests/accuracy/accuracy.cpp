// Compares replay and what-if with what was measured on the test bed: every bundle's unchanged
// replay with the trace's own iteration, and every bundle's prediction of the other bucket sizes
// and bandwidths of the same job with their truth. truth.json is read here and nowhere in the
// product.
#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "core/scenario/scenario.h"
#include "tests/support/shared_data.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>

using namespace core;
namespace fs = std::filesystem;

namespace {

struct Bundle
{
    std::string name;
    nlohmann::json meta;
    double truthMs = 0;
    LoadedProject project;
    double selfError = 0;
};

nlohmann::json readJson(const fs::path &path)
{
    std::ifstream file(path);
    return nlohmann::json::parse(file, nullptr, false);
}

/// Bundles that differ in bucket size and bandwidth only.
std::string jobOf(const Bundle &bundle)
{
    return bundle.meta.value("model", "") + " w" + std::to_string(bundle.meta.value("workers", 0));
}

bool isPlain(const Bundle &bundle)
{
    return bundle.meta.value("kind", "") == "allreduce" && !bundle.meta.contains("what_if")
        && bundle.name.find("-skew") == std::string::npos;
}

/// A bundle of another number of workers is a what-if of its base, but a plain job among its own.
std::unique_ptr<Bundle> load(const fs::path &folder, const fs::path &scratch)
{
    auto bundle = std::make_unique<Bundle>();
    bundle->name = folder.filename().string();
    bundle->meta = readJson(folder / "meta.json");
    bundle->truthMs = readJson(folder / "truth.json").value("iteration_ms", 0.0);
    const fs::path project = scratch / (bundle->name + ".longpole");
    fs::remove(project);
    importBundle({ folder }, project, {}, {});
    bundle->project = loadProject(project, {});
    return bundle;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

/// What every bundle of the test bed has to meet, as fractions; else the exit code is 1.
struct Limits
{
    double median, worst;
};
constexpr Limits SelfReplayLimits { 0.05, 0.05 };
constexpr Limits WhatIfLimits { 0.05, 0.25 };
constexpr std::size_t FewestCases = 10; ///< fewer would tell nothing
constexpr int NoData = 77; ///< ctest: skipped

bool report(const char *what, const std::vector<double> &errors, const Limits &limits)
{
    const double worst = errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
    std::printf("%s: %zu cases, median |error| %.2f %%, worst %.2f %%\n\n", what, errors.size(),
                100 * median(errors), 100 * worst);
    return errors.size() >= FewestCases && median(errors) <= limits.median && worst <= limits.worst;
}

std::vector<double> reportSelfReplay(const std::vector<std::unique_ptr<Bundle>> &bundles)
{
    std::vector<double> errors;
    std::printf("%-36s %9s %9s %8s\n", "self-replay", "measured", "replayed", "error");
    for (const auto &bundle : bundles) {
        const ScenarioResult result
            = runScenario(*bundle->project.trace, bundle->project.graph, {}, {});
        bundle->selfError = result.replayErrorFraction;
        errors.push_back(std::abs(bundle->selfError));
        std::printf("%-36s %7.1fms %7.1fms %+7.2f%%\n", bundle->name.c_str(),
                    static_cast<double>(result.measuredNs) / 1e6,
                    static_cast<double>(result.predictedNs) / 1e6, 100 * bundle->selfError);
    }
    return errors;
}

std::vector<double> reportWhatIfs(const std::vector<std::unique_ptr<Bundle>> &bundles)
{
    std::vector<double> errors;
    std::size_t covered = 0;
    std::printf("%-30s %-30s %9s %9s %8s  %s\n", "what-if from", "to", "truth", "predicted",
                "error", "95 % interval");
    for (const auto &from : bundles) {
        for (const auto &to : bundles) {
            if (from == to || !isPlain(*from) || !isPlain(*to) || jobOf(*from) != jobOf(*to))
                continue;
            ScenarioSettings settings;
            settings.bucketCapMb = to->meta.value("bucket_cap_mb", 25.0);
            settings.bandwidthMbit = to->meta.value("bandwidth_mbit", 0.0);
            const ScenarioResult result
                = runScenario(*from->project.trace, from->project.graph, settings, {});
            const double predictedMs = static_cast<double>(result.predictedNs) / 1e6;
            const double error = predictedMs / to->truthMs - 1;
            const bool isCovered = static_cast<double>(result.ciLowNs) / 1e6 <= to->truthMs
                && to->truthMs <= static_cast<double>(result.ciHighNs) / 1e6;
            covered += isCovered ? 1 : 0;
            errors.push_back(std::abs(error));
            std::printf("%-30s %-30s %7.1fms %7.1fms %+7.2f%%  %.1f-%.1f%s\n", from->name.c_str(),
                        to->name.c_str(), to->truthMs, predictedMs, 100 * error,
                        static_cast<double>(result.ciLowNs) / 1e6,
                        static_cast<double>(result.ciHighNs) / 1e6, isCovered ? "" : " missed");
        }
    }
    std::printf("truth inside the 95 %% interval: %zu of %zu\n", covered, errors.size());
    return errors;
}

std::string wordOf(const std::string &key, const nlohmann::json &value)
{
    return key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
}

/// What-ifs of the settings that meta.json names, and the way back where there is one.
struct SettingCase
{
    const Bundle *from, *to;
    std::vector<std::string> words;
};

std::vector<SettingCase> settingCases(const std::vector<std::unique_ptr<Bundle>> &bundles)
{
    std::vector<SettingCase> cases;
    for (const auto &bundle : bundles) {
        if (!bundle->meta.contains("what_if"))
            continue;
        const auto &whatIf = bundle->meta["what_if"];
        const auto base = std::find_if(bundles.begin(), bundles.end(), [&](const auto &other) {
            return other->name == whatIf.value("base", "");
        });
        if (base == bundles.end())
            continue;
        SettingCase there { base->get(), bundle.get(), {} }, back { bundle.get(), base->get(), {} };
        for (const auto &[key, value] : whatIf["settings"].items()) {
            there.words.push_back(wordOf(key, value));
            if (key == "world_size")
                back.words.push_back(wordOf(key, (*base)->meta["workers"]));
            else if (key == "compute_scale" || key == "batch_scale")
                back.words.push_back(wordOf(key, 1 / value.get<double>()));
            else if (key.starts_with("compute_scale:"))
                back.words.push_back("ideal_peers=1");
            else if (key.starts_with("bandwidth_mbit:"))
                back.words.push_back(wordOf(key, (*base)->meta["bandwidth_mbit"]));
        }
        cases.push_back(there);
        if (back.words.size() == whatIf["settings"].size())
            cases.push_back(back);
    }
    return cases;
}

std::vector<double> reportSettings(const std::vector<std::unique_ptr<Bundle>> &bundles)
{
    std::vector<double> errors;
    std::size_t covered = 0;
    for (const SettingCase &c : settingCases(bundles)) {
        std::string settings;
        for (const std::string &word : c.words)
            settings += (settings.empty() ? "" : " ") + word;
        std::printf("%-38s %-34s ", c.from->name.c_str(), settings.c_str());
        try {
            const ScenarioResult result = runScenario(*c.from->project.trace, c.from->project.graph,
                                                      parseSettings(c.words), {});
            const double predictedMs = static_cast<double>(result.predictedNs) / 1e6;
            const double error = predictedMs / c.to->truthMs - 1;
            const bool isCovered = static_cast<double>(result.ciLowNs) / 1e6 <= c.to->truthMs
                && c.to->truthMs <= static_cast<double>(result.ciHighNs) / 1e6;
            covered += isCovered ? 1 : 0;
            errors.push_back(std::abs(error));
            std::printf("%7.1fms %7.1fms %+7.2f%%  %.1f-%.1f%s\n", c.to->truthMs, predictedMs,
                        100 * error, static_cast<double>(result.ciLowNs) / 1e6,
                        static_cast<double>(result.ciHighNs) / 1e6, isCovered ? "" : " missed");
        } catch (const UsageError &) {
            std::printf("not a setting yet\n");
        }
    }
    std::printf("truth inside the 95 %% interval: %zu of %zu\n", covered, errors.size());
    return errors;
}

} // namespace

int main(int argc, char **argv)
{
    const auto shared = tests::sharedData();
    if (argc < 2 && !shared) {
        std::fprintf(stderr, "usage: longpole-accuracy TESTBED\n");
        return NoData;
    }
    const fs::path testbed = argc > 1 ? fs::path(argv[1]) : *shared / "data" / "testbed";
    const fs::path scratch
        = fs::temp_directory_path() / ("longpole-accuracy-" + std::to_string(getpid()));
    fs::create_directories(scratch);
    std::set<fs::path> folders;
    for (const auto &entry : fs::directory_iterator(testbed))
        if (entry.is_directory())
            folders.insert(entry.path());
    bool isGood = true;
    std::vector<std::unique_ptr<Bundle>> bundles;
    for (const fs::path &folder : folders) {
        try {
            bundles.push_back(load(folder, scratch));
        } catch (const std::exception &error) {
            std::printf("%s: %s\n", folder.filename().c_str(), error.what());
            isGood = false;
        }
    }
    isGood = report("self-replay", reportSelfReplay(bundles), SelfReplayLimits) && isGood;
    isGood = report("what-if", reportWhatIfs(bundles), WhatIfLimits) && isGood;
    isGood = report("settings", reportSettings(bundles), WhatIfLimits) && isGood;
    fs::remove_all(scratch);
    return isGood ? 0 : 1;
}
