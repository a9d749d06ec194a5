// Writes the seeds of the fuzzers whose formats are binary, or whose samples are generated:
//   write_seeds FOLDER
// makes FOLDER/<importer>/<name>.
#include "core/base/error.h"
#include "core/sqlite/database.h"
#include "tests/support/chakra_sample.h"
#include "tests/support/generate/generate_dpro.h"
#include "tests/support/generate/gpu_ddp_job.h"
#include "tests/support/recording_sample.h"
#include "tests/support/tf_stepstats_sample.h"
#include "tests/support/xplane_sample.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace {

namespace fs = std::filesystem;

void write(const fs::path &file, const std::string &bytes)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
}

/// As fuzz_importer.cpp takes it: kind, payload's size, payload, again and again.
std::string unsealed(const tests::Recording &recording)
{
    const std::vector<std::size_t> at = recording.boundaries();
    std::string bytes;
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        collectors::RecordHeader header {};
        std::memcpy(&header, recording.bytes().data() + at[i], sizeof header);
        if (header.payloadBytes > std::numeric_limits<std::uint8_t>::max())
            throw core::Error("a record of the sample is too long for the fuzzer's format");
        bytes += static_cast<char>(header.kind);
        bytes += static_cast<char>(header.payloadBytes);
        bytes += recording.bytes().substr(at[i] + sizeof header, header.payloadBytes);
    }
    return bytes;
}

void writeNsight(const fs::path &folder)
{
    std::stringstream sql;
    sql << std::ifstream(LONGPOLE_SOURCE_DIR "/tests/data/nsight/generated_two_ranks.sql").rdbuf();
    const fs::path file = folder / "nsight" / "report.sqlite";
    fs::create_directories(file.parent_path());
    fs::remove(file);
    core::Database(file, core::OpenMode::Create)
        .execute("PRAGMA page_size=1024;BEGIN;" + sql.str() + "COMMIT;");
}

/// Which importer reads which of the files of dPRO's folders.
constexpr std::array<std::pair<const char *, const char *>, 7> DproFiles
    = { { { "trace.json.gz", "dpro-compute" }, // the generator packs nothing
          { "comm_detail.json", "dpro-comm-detail" },
          { "io.json", "dpro-io" },
          { "dag.gml", "dpro-dag" },
          { "bps_trace_final.json", "dpro-merged" },
          { "comm_timeline.json", "dpro-ps-comm" },
          { "server_timeline.json", "dpro-ps-server" } } };

/// A file with the small ones beside it, as fuzz_importer.cpp takes them.
std::string withOthers(const std::map<std::string, std::string> &files, const std::string &path)
{
    std::string text = files.at(path);
    const std::string folder = path.substr(0, path.find_last_of('/') + 1);
    for (const auto &[other, contents] : files) {
        const std::string name = fs::path(other).filename().string();
        if (name == "nccl_rank_graph.json" || name.starts_with("gradient_name"))
            text.append("\n@@@ " + other.substr(other.starts_with(folder) ? folder.size() : 0))
                .append("\n" + contents);
    }
    return text;
}

void writeDpro(const fs::path &folder)
{
    for (const auto &files : { tests::generateDproFolder(), tests::generateDproServerFolder() }) {
        for (const auto &[path, text] : files) {
            std::string seed = path;
            std::replace(seed.begin(), seed.end(), '/', '_');
            for (const auto &[file, importer] : DproFiles)
                if (fs::path(path).filename() == file)
                    write(folder / importer / seed, withOthers(files, path));
        }
    }
}

std::string textOf(const fs::path &file)
{
    std::stringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

/// Files of a bundle, as fuzz_analysis.cpp takes them.
std::string bundled(const std::map<std::string, std::string> &files)
{
    std::string text;
    for (const auto &[name, content] : files)
        text.append(text.empty() ? "@@@ " : "\n@@@ ").append(name + "\n" + content);
    return text;
}

/// Two ranks of few steps; those of the second have the other's numbers, or others.
void writeDdpBundle(const fs::path &folder, int otherSteps, const std::string &otherNumbers)
{
    tests::GpuDdpJob job;
    job.ranks = 2;
    job.layerBytes = { 2 << 20, 2 << 20 };
    job.slowdown = 1.5;
    std::map<std::string, std::string> files;
    const fs::path scratch = folder / "scratch";
    for (int rank = 0; rank < 2; ++rank) {
        job.iterations = rank == 0 ? 3 : otherSteps;
        fs::create_directories(scratch);
        tests::writeGpuDdpJob(job, scratch);
        const std::string name = "rank" + std::to_string(rank) + ".json";
        files[name] = textOf(scratch / name);
        fs::remove_all(scratch);
    }
    const std::string mark = "ProfilerStep#";
    std::string &other = files["rank1.json"];
    for (auto at = other.find(mark); at != std::string::npos; at = other.find(mark, at + 1))
        other.insert(at + mark.size(), otherNumbers);
    write(folder / "analysis" / ("ddp" + otherNumbers), bundled(files));
}

void writeBundles(const fs::path &folder)
{
    writeDdpBundle(folder, 3, "");
    writeDdpBundle(folder, 2, "9");
    const fs::path data = LONGPOLE_SOURCE_DIR "/tests/data";
    for (const auto &[file, name] :
         { std::pair("kineto/all_kinds.json", "rank0.json"),
           { "horovod/two_ranks.json", "timeline.json" },
           { "byteps/root.json", "0/comm.json" },
           { "dpro_merged/bps_trace_final.json", "bps_trace_final.json" } })
        if (fs::exists(data / file))
            write(folder / "analysis" / fs::path(file).stem(),
                  bundled({ { name, textOf(data / file) } }));
    write(folder / "analysis" / "dpro", bundled(tests::generateDproFolder()));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const fs::path folder = argv[1];
    try {
        write(folder / "chakra" / "sample.et", tests::chakra::wholeTrace());
        write(folder / "xplane" / "sample.pb", tests::xplaneSample());
        write(folder / "tensorflow-stepstats" / "sample.pb", tests::tfsample::runMetadata().str());
        write(folder / "tensorflow-stepstats" / "step.pb", tests::tfsample::stepStats().str());
        write(folder / "longpole-nccl" / "sample", unsealed(tests::recordingsample::everyKind()));
        write(folder / "mxnet" / "profile.json", tests::generateMxnetProfile());
        writeDpro(folder);
        writeNsight(folder);
        writeBundles(folder);
    } catch (const core::Error &error) {
        std::fprintf(stderr, "write_seeds: %s\n", error.what());
        return 1;
    }
    return 0;
}
