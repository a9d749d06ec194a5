// A bundle that is imported and analysed as the commands do it: import, load, graph, diagnosis with
// its intervals, two what-ifs. Its files one after the other, each after a line "@@@ NAME".
#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis.h"
#include "core/analyze/diagnosis_json.h"
#include "core/base/error.h"
#include "core/graph/graph_fault.h"
#include "core/pipeline/pipeline.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view FileMark = "@@@ ";
constexpr std::size_t MostFiles = 8, LongestName = 60;

const fs::path &scratchFolder()
{
    static const fs::path path
        = fs::temp_directory_path() / ("longpole-fuzz-" + std::to_string(::getpid()));
    return path;
}

/// Letters, digits and what names of traces have besides: none leaves the folder.
bool isPlainName(std::string_view name)
{
    return !name.empty() && name.size() <= LongestName && name.front() != '/' && name.back() != '/'
        && name.find("..") == std::string_view::npos
        && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-/")
        == std::string_view::npos;
}

/// Returns how many there are.
std::size_t writeFiles(std::string_view text, const fs::path &folder)
{
    std::size_t count = 0;
    while (text.starts_with(FileMark) && count < MostFiles) {
        text.remove_prefix(FileMark.size());
        const std::string_view name = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        const std::size_t next = text.find("\n" + std::string(FileMark));
        const std::string_view content = text.substr(0, next);
        text.remove_prefix(next == std::string_view::npos ? text.size() : next + 1);
        if (!isPlainName(name))
            continue;
        std::error_code failed;
        fs::create_directories((folder / name).parent_path(), failed);
        if (failed)
            continue; // a file is called as the folder
        std::ofstream(folder / name, std::ios::binary) << content;
        ++count;
    }
    return count;
}

void analyse(const fs::path &folder, const fs::path &path)
{
    core::ImportOptions options;
    options.jobs = 1;
    core::importBundle({ folder }, path, options, {});
    const core::LoadedProject project = core::loadProject(path, {});
    if (const std::string fault = core::graphFault(*project.graph); !fault.empty()) {
        std::fprintf(stderr, "the graph: %s\n", fault.c_str());
        std::abort();
    }
    core::Diagnosis diagnosis = core::diagnose(*project.trace, project.graph, {});
    core::setGainIntervals(core::gainIntervals(diagnosis, {}), diagnosis);
    core::toJson(diagnosis);
    const core::ProjectReader reader(path);
    core::Predictor predictor = core::predictorOf(project, reader, {});
    for (const auto &[key, value] : { std::pair("compute_scale", 0.5), { "bandwidth_scale", 2.0 } })
        predictor.predictJudged({ core::Change(key, value) }, {});
}

} // namespace

// libFuzzer calls a function of this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const fs::path folder = scratchFolder() / "bundle";
    fs::remove_all(scratchFolder());
    fs::create_directories(folder);
    if (writeFiles({ reinterpret_cast<const char *>(data), size }, folder) == 0)
        return 0;
    try {
        analyse(folder, scratchFolder() / "p.longpole");
    } catch (const core::Error &error) {
        if (std::string_view(error.what()).starts_with("Error in Longpole")) {
            std::fprintf(stderr, "%s\n", error.what());
            std::abort();
        } // else refused: as good as analysed
    }
    return 0;
}
