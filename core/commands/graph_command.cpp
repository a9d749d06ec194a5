#include "core/commands/graph_command.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/base/shortened_name.h"
#include "core/blocks/drawing.h"
#include "core/blocks/outline.h"
#include "core/commands/output_file.h"
#include "core/commands/png_file.h"
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
        const std::string suffix = file.extension().string();
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

    /// The replay's iteration that the trace numbers so; without a number the typical one.
    std::size_t iterationOf(const Prediction &result, const Trace &trace,
                            std::optional<std::int64_t> number)
    {
        if (!number)
            return result.typicalIteration;
        const std::vector<CommonIteration> all = commonIterations(trace);
        const auto found = std::find_if(all.begin(), all.end(), [&](const CommonIteration &one) {
            return one.index == *number;
        });
        const auto place = static_cast<std::size_t>(found - all.begin());
        if (found == all.end() || place >= static_cast<std::size_t>(result.graph->iterationCount))
            throw UsageError("Iteration " + std::to_string(*number)
                             + " is not one that all ranks recorded whole. See longpole info.");
        return place;
    }

    std::string titleOf(bool isWhatIf, const Trace &trace, std::size_t iteration,
                        std::int64_t durationNs)
    {
        const std::vector<CommonIteration> all = commonIterations(trace);
        std::string title = isWhatIf ? "Predicted" : "Replayed";
        if (iteration < all.size())
            title += " iteration " + std::to_string(all[iteration].index);
        return title + ": " + durationText(durationNs) + ", "
            + countText(trace.workers.size(), "rank");
    }

    /// ". Longest on the critical path: all_reduce 20.4 MiB, 360.3 ms (54 %)"; empty without a
    /// path.
    std::string longestText(const Drawing &drawing, std::int64_t durationNs)
    {
        const auto lengthNs = [](const DrawnBlock &block) {
            return block.path && !block.isOpen ? block.path->durationNs() : 0;
        };
        const auto longest
            = std::max_element(drawing.blocks.begin(), drawing.blocks.end(),
                               [&lengthNs](const DrawnBlock &a, const DrawnBlock &b) {
                                   return lengthNs(a) < lengthNs(b);
                               });
        if (longest == drawing.blocks.end() || lengthNs(*longest) == 0)
            return {};
        return ". Longest on the critical path: " + shortenedName(longest->name)
            + (longest->bytes > 0 ? " " + bytesText(longest->bytes) : "") + ", "
            + durationText(lengthNs(*longest)) + " ("
            + percentText(static_cast<double>(lengthNs(*longest))
                          / static_cast<double>(std::max<std::int64_t>(1, durationNs)))
            + ")";
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
    app.add_option("--ranks", m_ranks, "Only these ranks, as 0,1,4")->delimiter(',');
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
    if (m_output.extension() == ".png")
        writePng(m_output, text);
    else
        writeFile(m_output, text);
    io.out << m_output.string() << "\n";
    return Done;
}

std::string GraphCommand::textOf(const CommandIo &io) const
{
    const LoadedProject project
        = loadProject(m_project, io.control.part(0, 0.5), m_strategy.stated());
    refuseUnknownRanks(m_ranks, *project.trace);
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
    const GraphOutline outline = outlineOf(
        result.graph, result.replay, project.trace->workers, static_cast<std::int32_t>(iteration),
        iterationPath(result, iteration), m_ranks, io.control.part(0.8, 0.9));
    if (outline.lanes.empty())
        throw Error("Nothing of this iteration is recorded of the ranks that were asked for.");
    DrawingOptions options;
    options.level = m_level == Phases ? DetailLevel::Phases : DetailLevel::Ops;
    options.arrangement
        = m_arrangement == ByLayersWord ? Arrangement::ByLayers : Arrangement::ByTime;
    options.foldsAlikeRanks = !m_showsAlike;
    const Drawing drawing = drawingOf(outline, options, io.control.part(0.9, 1));
    if (m_output.extension() == ".dot")
        return dotText(drawing);
    if (m_output.extension() == ".graphml")
        return graphmlText(drawing);
    const std::int64_t durationNs = outline.range.durationNs();
    return svgText(drawing,
                   titleOf(m_strategy.isGiven(), *project.trace, iteration, durationNs)
                       + longestText(drawingOf(outline, {}, io.control), durationNs),
                   { static_cast<double>(m_width), m_isDark });
}

} // namespace core
