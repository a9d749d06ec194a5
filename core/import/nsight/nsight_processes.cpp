#include "core/import/nsight/nsight_processes.h"

#include "core/import/checked_index.h"

#include <algorithm>
#include <limits>
#include <set>

namespace core {

namespace {

    /// The processes that are ranks, by what of the timeline they have.
    std::vector<NsightProcess> rankProcesses(const NsightSurvey &survey)
    {
        using Facts = NsightProcessFacts;
        for (const auto rows : { &Facts::deviceRows, &Facts::nvtxRows, &Facts::callRows }) {
            std::vector<NsightProcess> found;
            for (const auto &[process, facts] : survey.processes()) {
                if (facts.*rows > 0)
                    found.push_back(process);
            }
            if (!found.empty())
                return found;
        }
        return {};
    }

} // namespace

NsightWorkers::NsightWorkers(NsightContext &context, const NsightSurvey &survey,
                             const NsightSession &session)
    : m_context(context)
{
    const std::vector<NsightProcess> processes = rankProcesses(survey);
    if (processes.empty())
        throw Error(
            "holds no timeline: neither GPU activity nor CUDA calls nor NVTX ranges. Record "
            "with: nsys profile --trace=cuda,nvtx,osrt ..., then export again",
            { context.db.name(), {} });
    for (const NsightProcess process : processes)
        m_workers.emplace(process, context.sink.addWorker());
    m_first = m_workers.begin()->second;
    describe(survey, session);
    if (survey.processes().at(processes.front()).deviceRows == 0)
        context.count("no-gpu-activity", Severity::Warning,
                      "no kernels or copies were recorded: only what the host did can be shown. "
                      "Record with --trace=cuda,nvtx,osrt and let the profiled program end by "
                      "itself");
}

/// What the processes say themselves: NCCL's ranks, else MPI's. All of them, and all different.
std::optional<NsightWorkers::Ranks> NsightWorkers::statedRanks(const NsightSurvey &survey) const
{
    for (const auto rank : { &NsightProcessFacts::ncclRank, &NsightProcessFacts::mpiRank }) {
        Ranks ranks;
        std::set<int> taken;
        for (const auto &worker : m_workers) {
            const NsightProcessFacts &facts = survey.processes().at(worker.first);
            const std::optional<int> stated = checkedIndex(facts.*rank);
            if (!stated || !taken.insert(*stated).second)
                break;
            ranks.byWorker.push_back(*stated);
            const std::optional<int> size = checkedIndex(facts.ncclRankCount);
            if (rank == &NsightProcessFacts::ncclRank && size)
                ranks.worldSize = std::max(ranks.worldSize.value_or(0), *size);
        }
        if (ranks.byWorker.size() == m_workers.size())
            return ranks;
    }
    return std::nullopt;
}

/// Launchers start a node's ranks in order, so that their process ids rise with them.
NsightWorkers::Ranks NsightWorkers::ranksByProcess(const NsightSession &session) const
{
    const auto node = session.firstOf({ "NODE_RANK", "GROUP_RANK", "SLURM_NODEID" });
    const auto perNode = static_cast<int>(m_workers.size());
    int next = 0;
    if (node && *node <= std::numeric_limits<int>::max() / perNode - 1)
        next = *node * perNode;
    m_context.count("ranks-by-process", Severity::Warning,
                    "the report does not say which rank each process is: ranks were given in the "
                    "order of process ids, from "
                        + std::to_string(next)
                        + " on. To record ranks, trace NVTX with NCCL 2.18 or newer, or write one "
                          "report a rank (-o report_rank%q{RANK})");
    Ranks ranks;
    for (std::size_t i = 0; i < m_workers.size(); ++i)
        ranks.byWorker.push_back(next++);
    return ranks;
}

void NsightWorkers::describe(const NsightSurvey &survey, const NsightSession &session)
{
    std::optional<Ranks> ranks = statedRanks(survey);
    if (!ranks && m_workers.size() > 1)
        ranks = ranksByProcess(session);
    // The environment is the launched command's: with several ranks it is the launcher's.
    std::optional<int> own, worldSize;
    if (m_workers.size() == 1) {
        own = session.firstOf({ "RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PALS_RANKID",
                                "SLURM_PROCID", "LOCAL_RANK" });
        worldSize = session.firstOf({ "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE" });
    }
    std::size_t index = 0;
    for (const auto &worker : m_workers) {
        WorkerInfo info;
        info.rank = ranks ? std::optional(ranks->byWorker[index]) : own;
        info.worldSize = ranks && ranks->worldSize ? ranks->worldSize : worldSize;
        info.host = session.host;
        m_context.sink.describeWorker(worker.second, info);
        ++index;
    }
}

std::optional<WorkerId> NsightWorkers::workerOf(NsightProcess process) const
{
    if (const auto found = m_workers.find(process); found != m_workers.end())
        return found->second;
    if (m_workers.size() == 1)
        return m_first;
    m_context.count("helper-process", Severity::Info,
                    "rows of processes without GPU activity (data loaders, launchers) were only "
                    "counted: the report has several ranks and does not say whose they are");
    return std::nullopt;
}

std::optional<WorkerId> NsightWorkers::countedWorker(std::string_view table,
                                                     std::optional<std::int64_t> globalId)
{
    const std::optional<WorkerId> worker
        = globalId ? workerOf(nsightProcessOf(*globalId)) : std::nullopt;
    countRow(table, worker);
    if (!globalId)
        m_context.count("no-process", Severity::Error,
                        "rows that do not say which process they belong to were left out; the "
                        "first one is of the table "
                            + std::string(table) + ". Export the report again");
    return worker;
}

void NsightWorkers::countRow(std::string_view table, std::optional<WorkerId> worker)
{
    const auto known = m_counts.find(table);
    auto &counts = known != m_counts.end() ? known->second : m_counts[std::string(table)];
    ++counts[worker.value_or(m_first)];
}

void NsightWorkers::countRows(std::string_view table, std::uint64_t count)
{
    m_counts[std::string(table)][m_first] += count;
}

void NsightWorkers::giveCounts()
{
    for (const auto &[table, counts] : m_counts) {
        for (const auto &[worker, count] : counts)
            m_context.sink.countEvents(worker, table, count);
    }
    m_counts.clear();
}

} // namespace core
