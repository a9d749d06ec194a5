#include "core/import/nsight/nsight_processes.h"
#include "core/import/nsight/nvtx_events.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    constexpr std::size_t MostProcesses = 65536;
    constexpr std::size_t MostThreadNames = 1'000'000;
    constexpr std::string_view KernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
    constexpr std::string_view MpiRankPrefix = "MPI Rank ";

} // namespace

NsightSurvey::NsightSurvey(NsightContext &context, const NvtxPayloads &payloads,
                           NsightKernelNames &names, NsightNccl &nccl)
    : m_context(context)
{
    lookAtKernels(names, nccl);
    for (const std::string_view table :
         { "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
           "CUPTI_ACTIVITY_KIND_GRAPH_TRACE" })
        lookAtDeviceTable(table);
    lookAtNvtx(payloads);
    const bool isEnough
        = std::any_of(m_processes.begin(), m_processes.end(), [](const auto &process) {
              return process.second.deviceRows + process.second.nvtxRows > 0;
          });
    if (!isEnough)
        lookAtCalls();
}

NsightProcessFacts *NsightSurvey::factsOf(std::optional<std::int64_t> globalId)
{
    if (!globalId)
        return nullptr;
    const NsightProcess process = nsightProcessOf(*globalId);
    const auto known = m_processes.find(process);
    if (known != m_processes.end())
        return &known->second;
    if (m_processes.size() < MostProcesses)
        return &m_processes[process];
    m_context.count(
        "too-many-processes", Severity::Error,
        "rows of more than 65536 processes; those of further ones were only counted. Record "
        "the ranks' processes only");
    return nullptr;
}

void NsightSurvey::lookAtKernels(NsightKernelNames &names, NsightNccl &nccl)
{
    enum Columns { Process, Correlation, Demangled, Short, Mangled };
    m_context.db.forEachRow(
        KernelTable, { "globalPid", "correlationId", "demangledName", "shortName", "mangledName" },
        [&](const NsightRow &row) {
            NsightProcessFacts *facts = factsOf(row.number(Process));
            if (facts == nullptr)
                return;
            ++facts->deviceRows;
            const auto correlation = row.natural(Correlation);
            if (correlation
                && names.find(row.number(Demangled), row.number(Short), row.number(Mangled))
                       .isCommunication)
                nccl.addKernel(nsightProcessOf(*row.number(Process)), *correlation);
        });
}

void NsightSurvey::lookAtDeviceTable(std::string_view table)
{
    m_context.db.forEachRow(table, { "globalPid" }, [this](const NsightRow &row) {
        if (NsightProcessFacts *facts = factsOf(row.number(0)))
            ++facts->deviceRows;
    });
}

void NsightSurvey::lookAtNvtx(const NvtxPayloads &payloads)
{
    m_context.db.forEachRow(
        NvtxTable, { "eventType", "globalTid", "domainId", "text", "textId", "binaryData" },
        [&](const NsightRow &row) { lookAtNvtxRow(row, payloads); });
}

void NsightSurvey::lookAtNvtxRow(const NsightRow &row, const NvtxPayloads &payloads)
{
    enum Columns { Type, Thread, Domain, Text, TextId, Binary };
    const std::optional<std::int64_t> thread = row.number(Thread);
    NsightProcessFacts *facts = factsOf(thread);
    if (facts == nullptr)
        return;
    const std::int64_t type = row.number(Type).value_or(0);
    facts->nvtxRows += isNvtxRange(type) ? 1 : 0;
    if (type == NvtxDomainCreate || type == NvtxThread) {
        std::string name = nsightName(row.text(Text));
        if (name.empty() && row.number(TextId))
            name = m_context.strings.text(*row.number(TextId)).value_or(std::string());
        if (type == NvtxThread && name.starts_with(MpiRankPrefix))
            facts->mpiRank = integerFrom(std::string_view(name).substr(MpiRankPrefix.size()));
        if (m_domains.size() + m_threadNames.size() >= MostThreadNames)
            return;
        if (type == NvtxThread)
            m_threadNames[*thread] = std::move(name);
        else
            m_domains[{ nsightProcessOf(*thread), row.natural(Domain).value_or(0) }]
                = std::move(name);
    } else if (!row.isNull(Binary) && !payloads.isEmpty()) {
        const NcclPayload payload = payloads.decode(row.bytes(Binary));
        if (payload.rank && payload.rankCount
            && *payload.rankCount > facts->ncclRankCount.value_or(0)) {
            facts->ncclRank = payload.rank;
            facts->ncclRankCount = payload.rankCount;
        }
    }
}

void NsightSurvey::lookAtCalls()
{
    for (const std::string_view table :
         { "CUPTI_ACTIVITY_KIND_RUNTIME", "MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "OSRT_API" })
        m_context.db.forEachRow(table, { "globalTid" }, [this](const NsightRow &row) {
            if (NsightProcessFacts *facts = factsOf(row.number(0)))
                ++facts->callRows;
        });
}

const std::string *NsightSurvey::domainName(std::int64_t globalTid, std::uint64_t domain) const
{
    static const std::string noDomain;
    if (domain == 0)
        return &noDomain;
    const auto found = m_domains.find({ nsightProcessOf(globalTid), domain });
    return found == m_domains.end() ? nullptr : &found->second;
}

} // namespace core
