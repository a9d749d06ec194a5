#include "core/commands/ops_command.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/commands/text/text.h"
#include "core/pipeline/collective_times.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t TextRows = 30; ///< of a terminal
    constexpr std::size_t NameWidth = 60, ShapesWidth = 40; ///< characters

    using SortValue = std::int64_t (*)(const OpTableRow &);
    struct SortColumn
    {
        std::string_view word;
        SortValue value;
    };
    constexpr std::array SortColumns {
        SortColumn { "own", [](const OpTableRow &row) { return row.ownNs; } },
        SortColumn { "count",
                     [](const OpTableRow &row) { return static_cast<std::int64_t>(row.count); } },
        SortColumn { "p50", [](const OpTableRow &row) { return row.medianNs; } },
        SortColumn { "p95", [](const OpTableRow &row) { return row.p95Ns; } },
        SortColumn { "longest", [](const OpTableRow &row) { return row.longestNs; } },
    };

    std::vector<std::string> sortWords()
    {
        std::vector<std::string> words;
        words.reserve(SortColumns.size());
        for (const SortColumn &column : SortColumns)
            words.emplace_back(column.word);
        return words;
    }

    std::string unknownKindText(const std::string &word)
    {
        return "There is no kind '" + word + "' of operations. Kinds are " + allOpKindWords() + ".";
    }

    void refuseUnknownPlace(const OpTableFilter &filter, const Trace &trace)
    {
        if (filter.rank
            && std::none_of(trace.workers.begin(), trace.workers.end(),
                            [&](const Worker &worker) { return worker.rank == *filter.rank; }))
            throw UsageError("There is no rank " + std::to_string(*filter.rank)
                             + " in the project. See longpole info.");
        if (filter.iteration
            && std::none_of(trace.iterations.begin(), trace.iterations.end(),
                            [&](const Iteration &one) { return one.index == *filter.iteration; }))
            throw UsageError("There is no iteration " + std::to_string(*filter.iteration)
                             + " in the project. See longpole info.");
    }

    std::string bandwidthText(const std::optional<double> &gigabytes)
    {
        if (!gigabytes)
            return {};
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%.3g GB/s", *gigabytes);
        return text.data();
    }

    /// Cut in the middle, as both ends of a kernel's name tell it apart.
    std::string shortened(const std::string &text, std::size_t width)
    {
        if (text.size() <= width)
            return text;
        const auto isInside = [&text](std::size_t at) { // of a character of UTF-8
            return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
        };
        std::size_t head = (width - 3) / 2, tail = text.size() - (width - 3 - head);
        while (head > 0 && isInside(head))
            --head;
        while (isInside(tail))
            ++tail;
        return text.substr(0, head) + "..." + text.substr(tail);
    }

    /// Columns that have a value in any of the rows.
    struct OptionalColumns
    {
        explicit OptionalColumns(const std::vector<OpTableRow> &rows)
            : hasShapes(std::any_of(rows.begin(), rows.end(),
                                    [](const OpTableRow &row) { return !row.shapes.empty(); }))
            , hasBandwidth(std::any_of(rows.begin(), rows.end(), [](const OpTableRow &row) {
                return row.busGBs.has_value();
            }))
        {
        }
        bool hasShapes, hasBandwidth;
    };

    void printTable(const std::vector<OpTableRow> &rows, std::size_t total, std::ostream &out)
    {
        const OptionalColumns columns(rows);
        std::vector<std::string> header { "operation", "kind", "own time", "share",
                                          "count",     "p50",  "p95",      "longest" };
        if (columns.hasShapes)
            header.insert(header.begin() + 1, "input shapes");
        if (columns.hasBandwidth)
            header.insert(header.end(), { "algbw", "busbw" });
        TextTable table(std::move(header));
        for (const OpTableRow &row : rows) {
            std::vector<std::string> cells {
                shortened(row.name, NameWidth), std::string(opTableKindName(row.kind)),
                durationText(row.ownNs),        percentText(row.share),
                std::to_string(row.count),      durationText(row.medianNs),
                durationText(row.p95Ns),        durationText(row.longestNs)
            };
            if (columns.hasShapes)
                cells.insert(cells.begin() + 1, shortened(row.shapes, ShapesWidth));
            if (columns.hasBandwidth)
                cells.insert(cells.end(),
                             { bandwidthText(row.algorithmGBs), bandwidthText(row.busGBs) });
            table.addRow(std::move(cells));
        }
        table.print(out);
        if (rows.size() < total)
            out << "... " << total - rows.size() << " more; all: --limit 0\n";
    }

    std::string numberText(const std::optional<double> &value)
    {
        return value ? nlohmann::json(*value).dump() : std::string();
    }

    void printCsv(const std::vector<OpTableRow> &rows, std::ostream &out)
    {
        out << "operation,input_shapes,kind,own_ns,share_of_kind,count,ranks,p50_ns,p95_ns,"
               "longest_ns,longest_slice,algbw_gb_s,busbw_gb_s\n";
        for (const OpTableRow &row : rows)
            out << csvField(row.name, false) << "," << csvField(row.shapes, false) << ","
                << opTableKindName(row.kind) << "," << row.ownNs << "," << numberText(row.share)
                << "," << row.count << "," << row.ranks << "," << row.medianNs << "," << row.p95Ns
                << "," << row.longestNs << "," << row.longest.value << ","
                << numberText(row.algorithmGBs) << "," << numberText(row.busGBs) << "\n";
    }

    nlohmann::ordered_json jsonOrNull(const std::optional<double> &value)
    {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    }

    void printJson(const std::vector<OpTableRow> &rows, std::size_t total, std::ostream &out)
    {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const OpTableRow &row : rows)
            list.push_back({ { "name", row.name },
                             { "shapes", row.shapes },
                             { "kind", opTableKindName(row.kind) },
                             { "own_ns", row.ownNs },
                             { "share_of_kind", row.share },
                             { "count", row.count },
                             { "ranks", row.ranks },
                             { "p50_ns", row.medianNs },
                             { "p95_ns", row.p95Ns },
                             { "longest_ns", row.longestNs },
                             { "longest_slice", row.longest.value },
                             { "algbw_gb_s", jsonOrNull(row.algorithmGBs) },
                             { "busbw_gb_s", jsonOrNull(row.busGBs) } });
        const nlohmann::ordered_json all { { "ops", std::move(list) }, { "ops_total", total } };
        out << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    }

} // namespace

void sortOpRows(std::vector<OpTableRow> &rows, const std::string &column)
{
    const auto found
        = std::find_if(SortColumns.begin(), SortColumns.end(),
                       [&column](const SortColumn &one) { return one.word == column; });
    if (found == SortColumns.end())
        throw UsageError("There is no column '" + column + "' to sort by.");
    std::stable_sort(rows.begin(), rows.end(),
                     [value = found->value](const OpTableRow &a, const OpTableRow &b) {
                         return value(a) > value(b);
                     });
}

std::vector<OpTableRow> opRowsOfKind(std::vector<OpTableRow> rows, const std::string &word)
{
    const std::vector<OpTableKind> kinds = opKindsNamed(word);
    if (!word.empty() && kinds.empty())
        throw UsageError(unknownKindText(word));
    std::erase_if(rows, [&](const OpTableRow &row) {
        return word.empty() ? row.kind == OpTableKind::Annotation
                            : std::find(kinds.begin(), kinds.end(), row.kind) == kinds.end();
    });
    return rows;
}

void OpsCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("--by", m_by, "Rows by name, or by name and input shapes")
        ->check(CLI::IsMember({ "name", "shape" }));
    app.add_option("--kind", m_kind,
                   "Only operations of a kind, or of those that begin so, as kind: of a search: "
                       + allOpKindWords() + ". Else all but annotations")
        ->check([](const std::string &word) {
            return opKindsNamed(word).empty() ? unknownKindText(word) : std::string();
        });
    app.add_option("--rank", m_filter.rank, "Only this rank");
    app.add_option("--iteration", m_filter.iteration, "Only what begins in this iteration");
    app.add_option("--sort", m_sort, "Column to sort by, largest first")
        ->check(CLI::IsMember(sortWords()));
    app.add_option("--limit", m_limit, "Rows to print; 0: all. Text prints 30 without it");
    app.add_flag("--csv", m_csv, "Print CSV (RFC 4180)");
    app.add_flag("--json", m_json, "Print JSON");
    app.footer("Own time leaves out what an operation calls on the same thread. p50, p95 and "
               "longest are of single calls, with what they call.\n"
               "Share: of the own time of all operations of the kind. algbw, busbw: of the "
               "transfer alone, without waiting, as nccl-tests counts them.");
}

int OpsCommand::run(const CommandIo &io)
{
    if (m_csv && m_json)
        throw UsageError("--csv or --json, not both.");
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.6));
    refuseUnknownPlace(m_filter, *project.trace);
    OpShapes shapes;
    if (m_by == "shape")
        shapes = ProjectReader(m_project).readShapes(*project.trace, io.control.part(0.6, 0.8));
    std::vector<OpTableRow> rows = opRowsOfKind(
        opTable(*project.trace, collectivesOf(project, io.control.part(0.8, 0.9)), m_filter,
                io.control.part(0.9, 1), m_by == "shape" ? &shapes : nullptr),
        m_kind);
    if (m_by == "shape" && !OptionalColumns(rows).hasShapes)
        io.err << "No input shapes are recorded of these operations (torch.profiler: "
                  "record_shapes=True).\n";
    sortOpRows(rows, m_sort);
    const std::size_t total = rows.size(), limit = m_limit.value_or(m_csv || m_json ? 0 : TextRows);
    if (limit > 0 && rows.size() > limit)
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(limit), rows.end());
    if (m_csv)
        printCsv(rows, io.out);
    else if (m_json)
        printJson(rows, total, io.out);
    else
        printTable(rows, total, io.out);
    return Done;
}

} // namespace core
