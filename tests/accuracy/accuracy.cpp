// Compares replay and what-if with what was measured: every bundle's unchanged replay with the
// trace's own iteration, and every test-bed bundle's predictions of other configurations with
// their truth. truth.json is read here and nowhere in the product.
#include "tests/accuracy/bundles.h"
#include "tests/accuracy/cases.h"
#include "tests/accuracy/dump.h"
#include "tests/accuracy/tables.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

using namespace accuracy;
namespace fs = std::filesystem;

namespace {

constexpr int NoData = 77; ///< ctest: skipped
/// Truths above this rate differ by up to 6 % from run to run, those below by 2 %.
constexpr double SteadyMbit = 500;

struct Options
{
    std::optional<fs::path> data, readme, dump;
    std::string only; ///< of the dump: bundles whose name has this in it
};

std::optional<Options> parse(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--readme" && i + 1 < argc)
            options.readme = argv[++i];
        else if (word == "--dump" && i + 1 < argc)
            options.dump = argv[++i];
        else if (word == "--only" && i + 1 < argc)
            options.only = argv[++i];
        else if (!word.starts_with("-") && !options.data)
            options.data = word;
        else
            return std::nullopt;
    }
    if (!options.data)
        if (const auto shared = tests::sharedData())
            options.data = *shared / "data";
    return options;
}

std::vector<Case> part(const std::vector<Case> &cases, bool isFast)
{
    std::vector<Case> some;
    for (const Case &one : cases)
        if ((one.bandwidthMbit > SteadyMbit) == isFast)
            some.push_back(one);
    return some;
}

} // namespace

int main(int argc, char **argv)
{
    const auto options = parse(argc, argv);
    if (!options || !options->data || !fs::is_directory(*options->data / "testbed")) {
        std::fprintf(stderr,
                     "usage: longpole-accuracy [DATA] [--readme resources/help/accuracy.md]\n"
                     "       longpole-accuracy [DATA] --dump FILE [--only NAME]\n"
                     "--dump writes every prediction on every bundle, to compare two builds\n"
                     "DATA holds the folders testbed and real (default: $LONGPOLE_SHARED/data)\n");
        return NoData;
    }
    if (options->dump) {
        dumpPredictions(*options->data, *options->dump, options->only);
        return 0;
    }
    bool isGood = true;
    const Bundles testbed = loadTestbed(*options->data / "testbed", isGood);
    const std::vector<Case> buckets = bucketCases(testbed);
    std::vector<Group> groups {
        { "replay of the unchanged trace, against the trace's own iteration", selfReplays(testbed),
          false, 0.02, 0.05, 0 },
        { "other bucket sizes and bandwidths up to 500 Mbit/s, against runs without a profiler",
          part(buckets, false), true, 0.03, 0.08, 0.85 },
        { "the same at 1,000 Mbit/s, whose truths differ by up to 6 % themselves",
          part(buckets, true), true, 0.03, 0.14, 0.85 },
        { "other numbers of ranks, slow ranks and links, compute speed, batch, schedules",
          settingCases(testbed), true, 0.03, 0.08, 0.85 },
    };
    if (fs::is_directory(*options->data / "real"))
        groups.push_back({ "public traces of several ranks: replay of the unchanged trace",
                           selfReplays(loadReal(*options->data / "real")), false, 0.02, 0.05, 0 });
    for (const Group &group : groups)
        printCases(group);
    for (const Group &group : groups)
        isGood = printSummary(group) && isGood;
    if (options->readme)
        isGood = writeReadme(*options->readme, groups) && isGood;
    return isGood ? 0 : 1;
}
