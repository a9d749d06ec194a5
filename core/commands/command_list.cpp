#include "core/commands/align_command.h"
#include "core/commands/command.h"
#include "core/commands/compare_command.h"
#include "core/commands/diagnose_command.h"
#include "core/commands/export_command.h"
#include "core/commands/export_trace_command.h"
#include "core/commands/graph_command.h"
#include "core/commands/import_command.h"
#include "core/commands/info_command.h"
#include "core/commands/ops_command.h"
#include "core/commands/optimize_command.h"
#include "core/commands/profile/profile_command.h"
#include "core/commands/query_command.h"
#include "core/commands/replay_command.h"
#include "core/commands/report_command.h"

namespace core {

std::vector<std::unique_ptr<Command>> commands()
{
    std::vector<std::unique_ptr<Command>> all;
    all.push_back(std::make_unique<ImportCommand>());
    all.push_back(std::make_unique<InfoCommand>());
    all.push_back(std::make_unique<AlignCommand>());
    all.push_back(std::make_unique<DiagnoseCommand>());
    all.push_back(std::make_unique<OpsCommand>());
    all.push_back(std::make_unique<ReplayCommand>());
    all.push_back(std::make_unique<OptimizeCommand>());
    all.push_back(std::make_unique<ExportCommand>());
    all.push_back(std::make_unique<CompareCommand>());
    all.push_back(std::make_unique<QueryCommand>());
    all.push_back(std::make_unique<ExportTraceCommand>());
    all.push_back(std::make_unique<GraphCommand>());
    all.push_back(std::make_unique<ReportCommand>());
    all.push_back(std::make_unique<ProfileCommand>());
    return all;
}

} // namespace core
