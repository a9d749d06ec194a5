#include "core/import/nsight/nsight_session.h"

#include "core/import/text/decimal_time.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace core {

namespace {

    using nlohmann::json;

    constexpr std::size_t MostMessages = 1000;
    constexpr std::size_t MostGpus = 65'536; ///< of all processes

    constexpr std::array RankVariables = {
        std::string_view("RANK"),         std::string_view("OMPI_COMM_WORLD_RANK"),
        std::string_view("PMI_RANK"),     std::string_view("PALS_RANKID"),
        std::string_view("SLURM_PROCID"), std::string_view("LOCAL_RANK"),
        std::string_view("NODE_RANK"),    std::string_view("GROUP_RANK"),
        std::string_view("SLURM_NODEID"), std::string_view("WORLD_SIZE"),
        std::string_view("PMI_SIZE"),     std::string_view("OMPI_COMM_WORLD_SIZE"),
    };

    std::string dumped(const json &value)
    {
        return value.dump(-1, ' ', false, json::error_handler_t::replace);
    }

    /// Keeps `RANK=3` or `RANK="3"`.
    void noteVariable(NsightSession &session, std::string_view assignment)
    {
        const std::size_t equals = assignment.find('=');
        if (equals == std::string_view::npos)
            return;
        const std::string_view name = assignment.substr(0, equals);
        if (std::find(RankVariables.begin(), RankVariables.end(), name) == RankVariables.end())
            return;
        std::string_view value = assignment.substr(equals + 1);
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
            value = value.substr(1, value.size() - 2);
        const std::optional<std::int64_t> number = integerFrom(value);
        if (number && *number >= 0 && *number <= std::numeric_limits<int>::max())
            session.environment.emplace(std::string(name), *number);
    }

    void readEnvironment(NsightContext &context, NsightSession &session)
    {
        const auto visit = [&session](const NsightRow &row) {
            if (row.text(0).ends_with("ENVIRONMENT_VARIABLE"))
                noteVariable(session, row.text(1));
        };
        context.db.forEachRow("META_DATA_CAPTURE", { "name", "value" }, visit);
        context.db.forEachRow("TARGET_INFO_SYSTEM_ENV", { "name", "value" },
                              [&session](const NsightRow &row) {
                                  if (row.text(0) == "Hostname")
                                      session.host = nsightName(row.text(1));
                                  if (row.text(0) != "DeviceEnvironment")
                                      return;
                                  std::string_view all = row.text(1);
                                  while (!all.empty()) {
                                      const std::string_view one = all.substr(0, all.find(';'));
                                      noteVariable(session, one);
                                      all.remove_prefix(std::min(all.size(), one.size() + 1));
                                  }
                              });
    }

    void readClock(NsightContext &context)
    {
        std::optional<std::int64_t> startNs;
        context.db.forEachRow("TARGET_INFO_SESSION_START_TIME", { "utcEpochNs" },
                              [&startNs](const NsightRow &row) { startNs = row.number(0); });
        if (startNs)
            context.startNs = *startNs;
        else
            context.count("no-start-time", Severity::Warning,
                          "the export does not say when recording began: its times count from "
                          "then, and its ranks can be compared with other files only where "
                          "collectives align them");
        context.db.forEachRow("ANALYSIS_DETAILS", { "stopTime" },
                              [&context](const NsightRow &row) { context.stopNs = row.number(0); });
    }

    json readGpus(NsightContext &context)
    {
        json gpus = json::array();
        context.db.forEachRow("TARGET_INFO_GPU",
                              { "id", "name", "totalMemory", "memoryBandwidth", "smCount" },
                              [&gpus](const NsightRow &row) {
                                  if (gpus.size() >= 1024)
                                      return;
                                  json gpu;
                                  gpu["id"] = row.number(0).value_or(0);
                                  gpu["name"] = nsightName(row.text(1));
                                  gpu["memory_bytes"] = row.number(2).value_or(0);
                                  gpu["memory_bandwidth_bytes_per_s"] = row.number(3).value_or(0);
                                  gpu["sm_count"] = row.number(4).value_or(0);
                                  gpus.push_back(std::move(gpu));
                              });
        return gpus;
    }

    void readProcessDevices(NsightContext &context)
    {
        context.db.forEachRow(
            "TARGET_INFO_CUDA_DEVICE", { "gpuId", "cudaId", "pid" },
            [&context](const NsightRow &row) {
                const auto gpu = row.number(0), device = row.number(1), process = row.number(2);
                if (!gpu || !device || !process)
                    return; // of a GPU that the export does not know
                if (context.gpus.size() < MostGpus)
                    context.gpus.try_emplace({ *process, *device }, *gpu);
                else
                    context.count("too-many-devices", Severity::Warning,
                                  "more than 65536 devices of processes: which GPUs further ones "
                                  "are is not known. The report was damaged, export it again");
            });
    }

    void giveMetadata(NsightContext &context, const NsightSession &session)
    {
        json about;
        about["host"] = session.host;
        const auto visit = [&about](const NsightRow &row) {
            if (row.text(0) == "EXPORT_PRODUCT_VERSION")
                about["product_version"] = nsightName(row.text(1));
            if (row.text(0) == "EXPORT_SCHEMA_VERSION")
                about["schema_version"] = nsightName(row.text(1));
        };
        // The table's name up to schema 3.0, and since.
        context.db.forEachRow("EXPORT_META_DATA", { "name", "value" }, visit);
        context.db.forEachRow("META_DATA_EXPORT", { "name", "value" }, visit);
        about["gpus"] = readGpus(context);
        context.sink.metadata("nsight", dumped(about));
    }

    /// What Nsight Systems itself noted while it recorded: lost events, a driver that does not fit.
    void readMessages(NsightContext &context)
    {
        constexpr std::int64_t Warning = 2, Error = 3;
        constexpr std::string_view IsUnused = "No "; // "No OpenGL events collected ..."
        json messages = json::array();
        context.db.forEachRow(
            "DIAGNOSTIC_EVENT", { "severity", "text" }, [&](const NsightRow &row) {
                const std::int64_t severity = row.number(0).value_or(0);
                const std::string text = nsightName(row.text(1).substr(0, 1000));
                if ((severity != Warning && severity != Error) || text.starts_with(IsUnused))
                    return;
                context.count("profiler-warning", Severity::Warning,
                              "Nsight Systems noted while recording: " + text);
                if (messages.size() < MostMessages)
                    messages.push_back(text);
            });
        if (!messages.empty())
            context.sink.metadata("nsight_warnings", dumped(messages));
    }

} // namespace

std::optional<int> NsightSession::firstOf(std::initializer_list<const char *> variables) const
{
    for (const char *variable : variables) {
        if (const auto found = environment.find(variable); found != environment.end())
            return static_cast<int>(found->second);
    }
    return std::nullopt;
}

NsightSession readNsightSession(NsightContext &context)
{
    NsightSession session;
    readClock(context);
    readEnvironment(context, session);
    readProcessDevices(context);
    giveMetadata(context, session);
    readMessages(context);
    return session;
}

} // namespace core
