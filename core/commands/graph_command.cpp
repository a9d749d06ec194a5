#include "core/commands/graph_command.h"

#include "core/base/ascii_text.h"
#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/base/ranks_text.h"
#include "core/blocks/drawing.h"
#include "core/blocks/lanes.h"
#include "core/blocks/outline.h"
#include "core/commands/drawn_file.h"
#include "core/commands/output_file.h"
#include "core/export/graph/svg_graph.h"
#include "core/export/graph/text_graphs.h"
#include "core/measure/typical_iteration.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <ostream>

namespace core {

namespace {

    constexpr const char *Phases = "phases", *Ops = "ops", *Chunks = "chunks", *ByTimeWord = "time",
                         *ByLayersWord = "layers";
    constexpr std::array Suffixes { ".svg", ".png", ".dot", ".graphml" };

    void refuseSuffix(const std::filesystem::path &file)
    {
        const std::string suffix = lowered(file.extension().string());
        if (std::find(Suffixes.begin(), Suffixes.end(), suffix) == Suffixes.end())
            throw UsageError("'" + file.string()
                             + "': the name's end tells the format: .svg, .png, .dot or .graphml.");
    }

    void refuseUnknownRanks(const std::vector<int> &ranks, const Trace &trace)
    {
        for (const int rank : ranks)
            if (std::none_of(trace.workers.begin(), trace.workers.end(),
                             [rank](const Worker &worker) { return worker.rank == rank; }))
                throw UsageError("There is no rank " + std::to_string(rank)
                                 + " in the project. See longpole info.");
    }

    /// "0-5".
    std::string numbersText(const std::vector<CommonIteration> &all)
    {
        std::vector<int> numbers;
        numbers.reserve(all.size());
        for (const CommonIteration &one : all)
            numbers.push_back(static_cast<int>(one.index));
        return rankNumbersText(std::move(numbers));
    }

    /// Subject of a picture.
    struct GraphPlan
    {
        const Prediction &result;
        const Trace &trace;
        std::size_t iteration = 0;
        std::string setting; ///< "bucket_cap_mb=5"; empty: none
        std::int64_t durationNs = 0; ///< of the iteration, its slowest rank
    };

    /// The replay's iteration that the trace numbers so; without a number the typical one, of
    /// several kinds the longest.
    std::size_t iterationOf(const Prediction &result, const Trace &trace,
                            std::optional<std::int64_t> number)
    {
        if (!number)
            return longestKind(result, result.typicalIteration);
        const std::vector<CommonIteration> all = commonIterations(trace);
        const auto found = std::find_if(all.begin(), all.end(), [&](const CommonIteration &one) {
            return one.index == *number;
        });
        const auto place = static_cast<std::size_t>(found - all.begin());
        if (found == all.end() || place >= static_cast<std::size_t>(result.graph->iterationCount))
            throw UsageError("Iteration " + std::to_string(*number)
                             + " is not one that all ranks recorded whole. There are: "
                             + numbersText(all) + ".");
        return place;
    }

    /// "Replayed iteration 3: 663.7 ms, 2 ranks", "Predicted iteration 3 with bucket_cap_mb=5:
    /// 545.3 ms instead of 670.5 ms, 2 ranks".
    std::string titleOf(const GraphPlan &plan)
    {
        const std::vector<CommonIteration> all = commonIterations(plan.trace);
        std::string title = plan.setting.empty() ? "Replayed" : "Predicted";
        if (plan.iteration < all.size())
            title += " iteration " + std::to_string(all[plan.iteration].index);
        if (!plan.setting.empty())
            title += " with " + plan.setting;
        title += ": " + durationText(plan.durationNs);
        if (!plan.setting.empty() && plan.result.unchangedNs > 0)
            title += ", typical iteration " + durationText(plan.result.predictedNs) + " instead of "
                + durationText(plan.result.unchangedNs);
        if (plan.result.periodLength() > 1)
            title += ", the longest kind of every " + std::to_string(plan.result.periodLength());
        return title;
    }

} // namespace

void GraphCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("-o,--output", m_output, "File to write: .svg, .png, .dot or .graphml")
        ->required();
    app.add_option(
           "--level", m_level,
           "phases: a block each phase and collective; ops: an operation each; chunks: as ops, "
           "collectives chunk by chunk on the links of the ranks")
        ->check(CLI::IsMember({ Phases, Ops, Chunks }))
        ->default_str(Phases);
    app.add_option("--arrange", m_arrangement,
                   "Left to right by time, or by layers: what waits for what")
        ->check(CLI::IsMember({ ByTimeWord, ByLayersWord }))
        ->default_str(ByTimeWord);
    app.add_option("--ranks", m_ranks, "Only these ranks, as 0,1,4-7");
    app.add_option("--iteration", m_iteration,
                   "Its number in the trace; else the one nearest to the median");
    app.add_option("--width", m_width, "Width of the picture in pixels")
        ->check(CLI::Range(640, 20'000))
        ->default_val(m_width);
    app.add_flag("--dark", m_isDark, "Light on dark");
    app.add_flag("--unfold", m_showsAlike, "Each rank on its own, also where ranks are alike");
    app.add_flag("--force", m_mayOverwrite, "Replace the file if it is there already");
    m_strategy.declare(app, "draw the graph of this what-if");
}

int GraphCommand::run(const CommandIo &io)
{
    m_strategy.check();
    refuseFolder(m_output, "graph.svg");
    refuseSuffix(m_output);
    refuseIrreplaceable(m_output, m_project);
    refuseExisting(m_output, m_mayOverwrite);
    const std::string text = textOf(io);
    if (lowered(m_output.extension().string()) == ".png")
        writeDrawn(m_output, { text });
    else
        writeFile(m_output, text);
    io.out << m_output.string() << "\n";
    return Done;
}

std::string GraphCommand::textOf(const CommandIo &io) const
{
    const LoadedProject project
        = loadProject(m_project, io.control.part(0, 0.5), m_strategy.stated());
    const std::vector<int> ranks = ranksFromText(m_ranks);
    refuseUnknownRanks(ranks, *project.trace);
    const ProjectReader reader(m_project);
    Predictor predictor = predictorOf(project, reader, io.control.part(0.5, 0.6));
    Strategy strategy = m_strategy.strategy(predictor.job(), io);
    const Change expand("expand", 1.0);
    if (m_level == Chunks && !strategy.find(expand.name()))
        strategy.changes.push_back(expand);
    const Prediction result = predictor.predict(strategy, io.control.part(0.6, 0.8));
    if (result.obstacle)
        throw Error(*result.obstacle);
    const std::size_t iteration = iterationOf(result, *project.trace, m_iteration);
    const GraphOutline outline = outlineOf({ result.graph, result.replay, project.trace->workers,
                                             static_cast<std::int32_t>(iteration),
                                             iterationPath(result, iteration), ranks },
                                           io.control.part(0.8, 0.9));
    if (outline.lanes.empty())
        throw Error("Nothing of this iteration is recorded of the ranks that were asked for.");
    DrawingOptions options;
    options.level = m_level == Phases ? DetailLevel::Phases : DetailLevel::Ops;
    options.arrangement
        = m_arrangement == ByLayersWord ? Arrangement::ByLayers : Arrangement::ByTime;
    options.foldsAlikeRanks = !m_showsAlike;
    const Drawing drawing = drawingOf(outline, options, io.control.part(0.9, 1));
    if (drawing.lanesLeftOut > 0)
        io.out << countText(drawing.lanesLeftOut, "idle lane") << " left out\n";
    if (drawing.blocksLeftOut > 0)
        io.out << countText(drawing.blocksLeftOut, "block")
               << " left out, of lanes with very many side by side\n";
    const std::string suffix = lowered(m_output.extension().string());
    if (suffix == ".dot")
        return dotText(drawing);
    if (suffix == ".graphml")
        return graphmlText(drawing);
    GraphPlan plan { result, *project.trace, iteration, m_strategy.text(),
                     slowestNs(result.iterations, iteration) };
    const std::string longest
        = longestOnPathText(drawingOf(outline, {}, io.control), plan.durationNs);
    return svgText(drawing, titleOf(plan) + (longest.empty() ? "" : "\n" + longest),
                   { static_cast<double>(m_width), m_isDark });
}

} // namespace core
