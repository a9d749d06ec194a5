#pragma once

#include "core/import/nsight/nsight_context.h"
#include "core/import/nsight/nsight_nccl.h"
#include "core/import/nsight/nsight_processes.h"
#include "core/import/nsight/nsight_tracks.h"
#include "core/import/nsight/nvtx_payload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// Reads NVTX_EVENTS: ranges and marks of the program, of PyTorch (emit_nvtx), NCCL and MPI, and
/// the steps that they mark.
class NsightNvtxReader
{
public:
    NsightNvtxReader(NsightContext &context, NsightWorkers &workers, NsightTracks &tracks,
                     const NsightSurvey &survey, const NvtxPayloads &payloads)
        : m_context(context)
        , m_workers(workers)
        , m_tracks(tracks)
        , m_survey(survey)
        , m_payloads(payloads)
    {
    }

    /// Tells `nccl` of the ranges of NCCL's domain.
    void read(NsightNccl &nccl);

private:
    struct Range
    {
        std::int64_t globalTid = 0;
        WorkerId worker;
        TimeRange range;
        std::string_view name;
        std::string_view domain;
        NcclPayload payload;
    };

    void addRow(const NsightRow &row, NsightNccl &nccl);
    std::string_view nameOf(const NsightRow &row);
    std::string_view domainOf(std::int64_t globalTid, std::optional<std::uint64_t> domain);
    NcclPayload payloadOf(const NsightRow &row);
    void addRange(const Range &range, bool isStartEnd);
    void addFrameworkOp(const Range &range, SliceRecord &record);
    void noteStep(const Range &range);
    void giveSteps();
    void writeArgs(const Range &range, std::string_view fullName);

    /// Steps with the same word on one thread.
    using StepKey = std::pair<std::int64_t, std::string>;
    struct Steps
    {
        WorkerId worker;
        std::map<std::int64_t, TimeRange> byNumber;
    };

    NsightContext &m_context;
    NsightWorkers &m_workers;
    NsightTracks &m_tracks;
    const NsightSurvey &m_survey;
    const NvtxPayloads &m_payloads;
    std::map<StepKey, Steps> m_steps;
    std::size_t m_stepCount = 0;
    std::string m_name, m_args; ///< of the row that is being read
};

} // namespace core
