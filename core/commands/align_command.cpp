#include "core/commands/align_command.h"

#include "core/analyze/diagnosis_json.h"
#include "core/base/duration_text.h"
#include "core/commands/text.h"
#include "core/project/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

namespace core {

namespace {

    std::string driftText(double ppm)
    {
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), "%.1f", ppm);
        return text.data();
    }

    std::string stateOf(const Alignment &alignment)
    {
        if (alignment.isReference)
            return "reference";
        if (!alignment.isKnown)
            return "unknown";
        return alignment.isAsRecorded ? "as recorded" : "aligned";
    }

} // namespace

void AlignCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_flag("--json", m_json, "Print JSON");
}

int AlignCommand::run(const CommandIo &io)
{
    const ProjectReader reader(m_project);
    const AlignmentReport &report = reader.info().alignment;
    if (m_json) {
        io.out << toJson(report, reader.info().workers).dump(2) << "\n";
        return Done;
    }
    TextTable table({ "rank", "offset", "+-", "drift ppm", "residual", "" });
    std::vector<Alignment> byRank = report.workers;
    const auto rankOf
        = [&reader](const Alignment &one) { return reader.info().workers[one.worker.value].rank; };
    std::sort(byRank.begin(), byRank.end(),
              [&rankOf](const Alignment &a, const Alignment &b) { return rankOf(a) < rankOf(b); });
    for (const Alignment &one : byRank)
        table.addRow({ std::to_string(rankOf(one)), durationText(one.offsetNs),
                       durationText(one.uncertaintyNs), driftText(one.driftPpm),
                       durationText(one.residualNs), stateOf(one) });
    table.print(io.out);
    io.out << "\n"
           << report.status << "\ncausality violations: " << report.violationsBefore << " before, "
           << report.violationsAfter << " after\n";
    return Done;
}

} // namespace core
