#pragma once

#include "core/import/nsight/nsight_context.h"
#include "core/import/nsight/nsight_kernel_names.h"
#include "core/import/nsight/nsight_nccl.h"
#include "core/import/nsight/nsight_session.h"
#include "core/import/nsight/nvtx_payload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// What a first look at the tables tells of one process.
struct NsightProcessFacts
{
    std::uint64_t deviceRows = 0; ///< kernels, copies, sets, graphs
    std::uint64_t nvtxRows = 0;
    std::uint64_t callRows = 0; ///< looked at only where no process has any of the above
    std::optional<std::int64_t> ncclRank, ncclRankCount; ///< in the largest communicator
    std::optional<std::int64_t> mpiRank;
};

/// Looks through the tables before they are read: which processes there are, which rank each is,
/// how NVTX's domains are called, and which runtime calls launched communication kernels.
class NsightSurvey
{
public:
    NsightSurvey(NsightContext &context, const NvtxPayloads &payloads, NsightKernelNames &names,
                 NsightNccl &nccl);

    const std::map<NsightProcess, NsightProcessFacts> &processes() const { return m_processes; }
    /// "" for the default domain, absent for one that is not named.
    const std::string *domainName(std::int64_t globalTid, std::uint64_t domain) const;
    /// Thread names that the program gave through NVTX, by globalTid.
    const std::map<std::int64_t, std::string> &threadNames() const { return m_threadNames; }

private:
    void lookAtKernels(NsightKernelNames &names, NsightNccl &nccl);
    void lookAtDeviceTable(std::string_view table);
    void lookAtNvtx(const NvtxPayloads &payloads);
    void lookAtNvtxRow(const NsightRow &row, const NvtxPayloads &payloads);
    void lookAtCalls();
    NsightProcessFacts *factsOf(std::optional<std::int64_t> globalId);

    NsightContext &m_context;
    std::map<NsightProcess, NsightProcessFacts> m_processes;
    std::map<std::pair<NsightProcess, std::uint64_t>, std::string> m_domains;
    std::map<std::int64_t, std::string> m_threadNames;
};

/// The workers of an export: one for every process that used a GPU; where none did, one for every
/// process with NVTX ranges, or else with calls.
class NsightWorkers
{
public:
    /// Adds the workers and describes them. Throws Error if no process has a timeline.
    NsightWorkers(NsightContext &context, const NsightSurvey &survey, const NsightSession &session);

    /// A helper process (data loader, launcher) belongs to the only worker, if there is only one;
    /// else absent: its rows are counted only.
    std::optional<WorkerId> workerOf(NsightProcess process) const;
    bool isHelper(NsightProcess process) const { return m_workers.count(process) == 0; }
    /// The same by any global id of a row, which is counted, and for rows without one.
    std::optional<WorkerId> countedWorker(std::string_view table,
                                          std::optional<std::int64_t> globalId);
    /// Counts a row under its table's name, for the worker or, if it has none, for the first one.
    void countRow(std::string_view table, std::optional<WorkerId> worker);
    void countRows(std::string_view table, std::uint64_t count);
    /// Gives the counts to the sink; after the last row.
    void giveCounts();

private:
    struct Ranks
    {
        std::vector<int> byWorker;
        std::optional<int> worldSize;
    };
    std::optional<Ranks> statedRanks(const NsightSurvey &survey) const;
    Ranks ranksByProcess(const NsightSession &session) const;
    void describe(const NsightSurvey &survey, const NsightSession &session);

    NsightContext &m_context;
    std::map<NsightProcess, WorkerId> m_workers;
    WorkerId m_first;
    std::map<std::string, std::map<WorkerId, std::uint64_t>, std::less<>> m_counts;
};

} // namespace core
