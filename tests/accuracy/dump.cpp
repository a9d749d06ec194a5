#include "tests/accuracy/dump.h"

#include "core/base/error.h"
#include "core/change/change_text.h"
#include "tests/accuracy/bundles.h"
#include "tests/support/predict.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace accuracy {

namespace fs = std::filesystem;

namespace {

    constexpr std::array Asked {
        "",
        "bucket_cap_mb=5",
        "bucket_cap_mb=50",
        "first_bucket_mb=1",
        "first_bucket_mb=10",
        "fusion_threshold_bytes=8388608",
        "fusion_threshold_bytes=134217728",
        "cycle_time_ms=1",
        "cycle_time_ms=10",
        "schedule=wfbp",
        "schedule=fifo",
        "schedule=p3",
        "schedule=bytescheduler",
        "schedule=tic",
        "schedule=tac",
        "schedule=usbyte",
        "schedule=dear",
        "schedule=mgwfbp",
        "schedule=random schedule_seed=1",
        "partition_bytes=524288",
        "partition_bytes=2000000",
        "schedule=p3 partition_bytes=1000000",
        "schedule=p3 credit_bytes=1000000",
        "credit_bytes=8000000",
        "bandwidth_mbit=200",
        "bandwidth_mbit=10000",
        "bandwidth_mbit:0=100",
        "bandwidth_mbit:1=1000",
        "bandwidth_scale=0.5",
        "bandwidth_scale=2",
        "latency_us=10",
        "latency_us=1000",
        "world_size=1",
        "world_size=3",
        "world_size=8",
        "collective=ring",
        "collective=tree",
        "collective=hierarchical",
        "collective=ps:2",
        "compute_scale=0.5",
        "compute_scale=2",
        "compute_scale:0=0.5",
        "compute_scale:1=2",
        "batch_scale=0.5",
        "batch_scale=2",
        "host_overhead_scale=0",
        "host_overhead_scale=2",
        "comm_scale=0",
        "comm_scale=2",
        "comm_scale:0,1=0.5",
        "comm_scale:0-3=2",
        "input_scale=0",
        "input_scale=2",
        "ideal_peers=0",
        "ideal_peers=1",
        "ideal_pipeline=0",
        "ideal_pipeline=1",
        "expand=1",
        "bucket_cap_mb=10 bandwidth_scale=2",
        "bucket_cap_mb=5 compute_scale=0.5",
        "bucket_cap_mb=5 first_bucket_mb=5 world_size=8",
        "schedule=p3 partition_bytes=1000000 bandwidth_scale=2",
        "schedule=fifo credit_bytes=4000000 compute_scale:1=2",
        "fusion_threshold_bytes=16777216 cycle_time_ms=2 bandwidth_scale=0.5 batch_scale=2",
        "ideal_peers=1 compute_scale:0=2",
        "world_size=4 collective=tree latency_us=100",
        "comm_scale=0.5 expand=1",
        "host_overhead_scale=0 input_scale=0 bandwidth_mbit=1000",
        "collective=ps:2 bucket_cap_mb=20",
    };

    std::vector<std::string> wordsOf(const std::string &text)
    {
        std::istringstream stream(text);
        std::vector<std::string> words;
        for (std::string word; stream >> word;)
            words.push_back(word);
        return words;
    }

    std::string partsText(const core::PartTimes &parts)
    {
        std::ostringstream text;
        text << parts.computeNs << ',' << parts.exposedCommNs << ',' << parts.overlapNs << ','
             << parts.memOnlyNs << ',' << parts.idleNs << ',';
        if (parts.exposedWaitNs)
            text << *parts.exposedWaitNs;
        else
            text << '-';
        return text.str();
    }

    std::string resultText(const core::Prediction &result)
    {
        std::ostringstream text;
        text << result.predictedNs << " of " << result.measuredNs << " ci " << result.ciLowNs
             << ".." << result.ciHighNs << (result.unknownInterval ? " none" : "") << " trust "
             << core::trustLevelName(result.trust) << " parts " << partsText(result.predictedParts)
             << " daydream " << result.daydreamNs.value_or(-1)
             << (result.noChange ? " no-change" : "") << (result.noEffect ? " no-effect" : "")
             << " ranks";
        for (const core::RankPrediction &rank : result.ranks)
            text << ' ' << rank.predictedNs;
        return text.str();
    }

    /// Every folder that holds files itself.
    std::set<fs::path> bundleFolders(const fs::path &data)
    {
        std::set<fs::path> folders;
        for (const char *part : { "testbed", "real" }) {
            if (!fs::is_directory(data / part))
                continue;
            for (const auto &entry : fs::recursive_directory_iterator(data / part))
                if (entry.is_regular_file())
                    folders.insert(entry.path().parent_path());
        }
        return folders;
    }

    void dumpBundle(Bundle &bundle, std::ofstream &out)
    {
        for (const std::string asked : Asked) {
            out << bundle.name << " [" << asked << "] ";
            const core::Prediction prediction
                = bundle.predictor->predictJudged(core::parseStrategy(wordsOf(asked)), {});
            out << (prediction.obstacle ? "refused" : resultText(prediction)) << '\n';
        }
        out.flush();
    }

} // namespace

void dumpPredictions(const fs::path &data, const fs::path &file, const std::string &only)
{
    std::ofstream out(file);
    for (const fs::path &folder : bundleFolders(data)) {
        const std::string name = fs::relative(folder, data).string();
        if (name.find(only) == std::string::npos)
            continue;
        std::fprintf(stderr, "%s\n", name.c_str());
        try {
            dumpBundle(*loadBundle(folder, name), out);
        } catch (const std::exception &) {
            out << name << " cannot be opened or replayed\n";
        }
    }
}

} // namespace accuracy
