// Writes the seeds of the fuzzers whose formats are binary, or whose samples are generated:
//   write_seeds FOLDER
// makes FOLDER/<importer>/<name>.
#include "collectors/format/records.h"
#include "core/base/error.h"
#include "core/sqlite/database.h"
#include "tests/support/generate_dpro.h"
#include "tests/support/protobuf_writer.h"
#include "tests/support/xspace_builder.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

using tests::ProtobufWriter;

namespace {

namespace fs = std::filesystem;

void write(const fs::path &file, const std::string &bytes)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
}

std::string delimited(const ProtobufWriter &message)
{
    // A field's length and bytes are what stands between two messages; its tag is not.
    return ProtobufWriter().message(1, message).str().substr(1);
}

std::string chakra()
{
    std::string file = delimited(ProtobufWriter().bytes(1, "0.0.4"));
    for (std::uint64_t id = 1; id <= 8; ++id) {
        ProtobufWriter node;
        node.number(1, id).bytes(2, "op " + std::to_string(id)).number(3, id);
        node.bytes(4, "\x01").number(5, id - 1).number(6, id * 10).number(7, 5);
        node.message(10, ProtobufWriter().bytes(1, "comm_size").number(9, 1024));
        node.message(10, ProtobufWriter().bytes(1, "comm_type").number(9, 0));
        node.message(10, ProtobufWriter().bytes(1, "pg_name").bytes(29, "dp"));
        file += delimited(node);
    }
    return file;
}

std::string xplane()
{
    tests::XPlaneBuilder gpu("/device:GPU:0");
    gpu.line(7, "Stream #7", 1'700'000'000'000'000'000)
        .event("gemm", 1000, 2000, { { "correlation_id", 3 }, { "hlo_op", "dot.1" } })
        .event("ncclKernel_AllReduce", 4000, 2000, { { "bytes_accessed", 4096 } });
    tests::XPlaneBuilder host("/host:CPU");
    host.line(1, "python", 1'700'000'000'000'000'000)
        .event("step", 0, 9000, { { "step_num", 1 }, { "group_id", 1 } });
    return tests::xspace({ gpu, host });
}

std::string stepStats()
{
    const auto node = [](const char *name, std::uint64_t startUs) {
        return ProtobufWriter()
            .bytes(1, name)
            .number(2, startUs)
            .number(4, 5)
            .number(5, 9)
            .bytes(8, std::string(name) + " = MatMul(a, b)");
    };
    ProtobufWriter device;
    device.bytes(1, "/job:worker/replica:0/task:0/device:GPU:0/stream:all");
    device.message(2, node("dense/MatMul", 1000)).message(2, node("loss/Sum", 1010));
    ProtobufWriter graphNode;
    graphNode.bytes(1, "loss/Sum").bytes(2, "Sum").bytes(3, "dense/MatMul").bytes(3, "^init");
    const ProtobufWriter graph = ProtobufWriter().message(1, graphNode);
    return ProtobufWriter().message(1, ProtobufWriter().message(1, device)).message(3, graph).str();
}

/// As fuzz_importer.cpp takes it: kind, payload's size, payload, again and again.
std::string recording()
{
    std::string bytes;
    for (char kind = collectors::RecordFileHeader; kind <= collectors::RecordEnd; ++kind) {
        constexpr char PayloadBytes = 96;
        bytes += kind;
        bytes += PayloadBytes;
        bytes.append(PayloadBytes, '\1');
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
    core::Database(file, core::OpenMode::Create).execute("BEGIN;" + sql.str() + "COMMIT;");
}

void writeDpro(const fs::path &folder)
{
    for (const auto &files : { tests::generateDproFolder(), tests::generateDproServerFolder() }) {
        for (const auto &[path, text] : files) {
            std::string name = path;
            for (char &c : name)
                c = c == '/' ? '_' : c;
            const std::string file = fs::path(path).filename().string();
            const auto seed = [&](const char *importer, const char *suffix) {
                if (file == suffix)
                    write(folder / importer / name, text);
            };
            seed("dpro-compute", "trace.json");
            seed("dpro-comm-detail", "comm_detail.json");
            seed("dpro-io", "io.json");
            seed("dpro-dag", "dag.gml");
            seed("dpro-merged", "bps_trace_final.json");
            seed("dpro-ps-comm", "comm_timeline.json");
            seed("dpro-ps-server", "server_timeline.json");
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const fs::path folder = argv[1];
    try {
        write(folder / "chakra" / "small.et", chakra());
        write(folder / "xplane" / "small.pb", xplane());
        write(folder / "tensorflow-stepstats" / "small.pb", stepStats());
        write(folder / "longpole-nccl" / "all_kinds", recording());
        write(folder / "mxnet" / "profile.json", tests::generateMxnetProfile());
        writeDpro(folder);
        writeNsight(folder);
    } catch (const core::Error &error) {
        std::fprintf(stderr, "write_seeds: %s\n", error.what());
        return 1;
    }
    return 0;
}
