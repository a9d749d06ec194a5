#include "core/commands/replay_command.h"

#include "core/analyze/report/period_report.h"
#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/commands/text/memory_text.h"
#include "core/commands/text/prediction_text.h"
#include "core/commands/text/text.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/fit/links/link_text.h"
#include "core/graph/edge_counts.h"
#include "core/measure/parts.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/daydream.h"
#include "core/predict/dpro_prediction.h"
#include "core/predict/peak_memory.h"
#include "core/predict/peak_memory_json.h"
#include "core/predict/prediction_json.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

namespace core {

namespace {

    constexpr const char *LongpoleOrder = "longpole";
    constexpr const char *DproOrder = "dpro";

    /// By PartRow.
    constexpr std::array RowNames = { "compute",
                                      "exposed communication: transfer",
                                      "exposed communication: waiting for other ranks",
                                      "exposed communication, waiting for other ranks included",
                                      "copies",
                                      "idle",
                                      "sum",
                                      "overlap (included in compute)" };

    void printParts(const Prediction &result, std::ostream &out)
    {
        TextTable table({ meanText(result), "measured", "predicted" });
        for (const PartTime &part : partRows(result.measuredParts, result.predictedParts))
            table.addRow({ RowNames.at(static_cast<std::size_t>(part.row)),
                           durationText(part.measuredNs), durationText(part.predictedNs) });
        table.print(out);
        if (result.warmUp() > 0)
            out << warmUpText(result) << "\n";
    }

    /// "+12 %": how much longer it is predicted than `fromNs`.
    std::string changeText(std::int64_t predictedNs, std::int64_t fromNs)
    {
        const double change = static_cast<double>(predictedNs - fromNs)
            / static_cast<double>(std::max<std::int64_t>(1, fromNs));
        const std::string text = percentText(change);
        return change > 0 && text.front() != '<' ? "+" + text : text; // "<0.1 %" has no sign
    }

    /// The answer. A what-if's change is from the unchanged replay: from the measured time, the
    /// replay's own error would be a part of the change.
    void printPredicted(const Prediction &result, std::ostream &out)
    {
        const bool isUnchanged = result.strategy.isEmpty();
        out << "Predicted: " << durationText(result.predictedNs)
            << (result.hasIterations ? " per iteration, " : " for the recording, ")
            << changeText(result.predictedNs, isUnchanged ? result.measuredNs : result.unchangedNs);
        if (result.unknownInterval)
            out << ". No interval: " << *result.unknownInterval << "\n";
        else
            out << " (95 % interval " << durationText(result.ciLowNs) << " to "
                << durationText(result.ciHighNs) << ")\n";
    }

    /// The time that the prediction is to be compared with, and the settings.
    void printCompared(const Prediction &result, std::ostream &out)
    {
        out << "Measured: " << durationText(result.measuredNs) << " ("
            << (result.hasIterations ? typicalWords(result.periodLength()) : "whole recording")
            << ", slowest rank)";
        if (!result.strategy.isEmpty())
            out << ", unchanged replay " << durationText(result.unchangedNs);
        out << "\n";
        for (const auto &[key, value] : result.strategy.list())
            out << "  with " << key << " = " << value << "\n";
        if (result.noChange)
            out << *result.noChange << "\n";
        if (result.noEffect)
            out << *result.noEffect << "\n";
    }

    void printText(const DproPrediction &prediction, std::ostream &out)
    {
        out << "Predicted in the order of dPRO's replayer: " << durationText(prediction.predictedNs)
            << ", " << changeText(prediction.predictedNs, prediction.measuredNs)
            << "\nPredicted by Longpole: " << durationText(prediction.longpoleNs) << ", "
            << changeText(prediction.longpoleNs, prediction.measuredNs)
            << "\nMeasured: " << durationText(prediction.measuredNs) << "\n";
        for (const auto &[key, value] : prediction.strategy.list())
            out << "  with " << key << " = " << value << "\n";
        out << "dPRO's replayer is for comparison only. In it a device may wait for an operation "
               "while another one is ready, and links serve one transfer after the other.\n";
    }

    constexpr const char *PredictedHelp
        = "Predicted = median iteration of the unchanged replay + median change per iteration, for "
          "the rank that is slowest after the change. Where kinds of iterations repeat, medians "
          "are "
          "of each position in a period, and their mean counts.";

    /// {"launch": 400, "stream_order": 790, ...}
    nlohmann::ordered_json edgesJson(const EdgeCounts &counts)
    {
        nlohmann::ordered_json json = nlohmann::ordered_json::object();
        for (const auto &[kind, edges] : counts) {
            std::string key(edgeKindName(kind));
            std::replace(key.begin(), key.end(), ' ', '_');
            json[key] = edges;
        }
        return json;
    }

    void printLinks(const Prediction &result, std::ostream &out)
    {
        for (const LinkModel &link : result.links) {
            out << "Link '" << link.group << "': " << linkLatencyText(link) << ", "
                << linkRateText(link) << "\n  fitted from " << countText(link.transfers, "transfer")
                << ", median error " << percentText(link.medianErrorFraction) << "\n";
            if (const std::string algorithm = linkAlgorithmText(link); !algorithm.empty())
                out << "  algorithm: " << algorithm << "\n";
            if (const std::string kept = keptRateText(link, result.links); !kept.empty())
                out << "  " << kept << "\n";
        }
    }

    /// Behind the answer and its parts.
    void printMore(const Prediction &result, const Graph &recorded,
                   const ChangeObstacles &obstacles, std::ostream &out)
    {
        out << "\n";
        printReasons(result, out);
        if (result.daydreamNs)
            out << "Daydream's model predicts " << durationText(*result.daydreamNs) << ": "
                << DaydreamFormula << ".\n";
        out << noLinksText(result, obstacles);
        printLinks(result, out);
        out << "Graph of the recording: " << countText(recorded.size(), "operation") << ", "
            << edgeCountsText(edgeCounts(recorded)) << "\n";
        printScheduling(result, obstacles, out);
    }

    void printText(const Prediction &result, const PeakMemory &memory, bool isVerbose,
                   std::ostream &out)
    {
        printPredicted(result, out);
        out << trustText(result) << "\n";
        printCompared(result, out);
        out << "\n";
        printParts(result, out);
        if (isVerbose || !memory.devices.empty())
            printPeakMemory(memory, out);
    }

} // namespace

void ReplayCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    m_strategy.declare(app, "predict this what-if");
    app.add_option("--order", m_order,
                   "Who chooses the next operation of a device: longpole, or dpro (as dPRO's "
                   "replayer, for comparison)")
        ->check(CLI::IsMember({ LongpoleOrder, DproOrder }))
        ->default_str(LongpoleOrder);
    app.add_flag("--verbose", m_isVerbose,
                 "Also print reasons, links, the graph and scheduling efficiency");
    app.add_flag("--json", m_json, "Print JSON");
    app.footer(std::string(PredictedHelp) + "\n" + schedulingHelp());
}

int ReplayCommand::run(const CommandIo &io)
{
    m_strategy.check();
    const LoadedProject project
        = loadProject(m_project, io.control.part(0, 0.5), m_strategy.stated());
    const ProjectReader reader(m_project);
    Predictor predictor = predictorOf(project, reader, io.control.part(0.5, 0.7));
    const Strategy strategy = m_strategy.strategy(predictor.job(), io);
    if (m_order == DproOrder) {
        const DproPrediction prediction
            = predictInDproOrder(*project.trace, predictor, strategy, io.control.part(0.7, 1));
        if (m_json)
            io.out << toJson(prediction).dump(2) << "\n";
        else
            printText(prediction, io.out);
        return Done;
    }
    const Prediction result = predictor.predictJudged(strategy, io.control.part(0.7, 0.9));
    if (result.obstacle)
        throw Error(*result.obstacle);
    const PeakMemory memory
        = predictor.peakMemory(result, io.control.part(0.9, 1)).value_or(PeakMemory {});
    if (m_json) {
        nlohmann::ordered_json json = toJson(result);
        addPeakMemory(json, memory);
        json["edges"] = edgesJson(edgeCounts(*project.graph));
        io.out << json.dump(2) << "\n";
    } else {
        printText(result, memory, m_isVerbose, io.out);
        if (m_isVerbose)
            printMore(result, *project.graph, predictor.obstacles(), io.out);
        else
            io.out << "\nMore: --verbose\n";
    }
    return Done;
}

} // namespace core
