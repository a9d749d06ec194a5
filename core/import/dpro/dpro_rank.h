#pragma once

#include "core/import/chrome/chrome_slices.h"
#include "core/import/dpro/dpro_folder.h"
#include "core/import/dpro/dpro_model.h"
#include "core/import/dpro/dpro_names.h"
#include "core/import/round_counter.h"
#include "core/import/row_cache.h"
#include "core/import/step_ranges.h"
#include "core/model/trace_sink.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// What the ranks of one file share: its bounds are those of the file.
struct DproTables
{
    DproTables(TraceSink &sink, const std::string &file)
        : rows(sink, file)
        , rounds(sink, file)
        , steps(sink, file)
    {
    }

    RowCache rows;
    RoundCounter rounds; ///< by worker and transaction
    StepRoom steps;
};

/// One rank of a dPRO trace: makes slices of events that have dPRO's names.
///
/// FW, BW, UPDATE and OUTPUT are kernels, since dPRO records what runs on the GPU; I/O are host
/// ops. Comm.<tensors>.NCCL_ALLREDUCE (or ALLREDUCE) is the collective; SEND, RECV and the requests
/// and responses of a parameter server are transfers on rows of their own; other sub-ops
/// annotations.
class DproRank
{
public:
    /// `device`: index of the rank's GPU on its host. The references must outlive the
    /// object.
    DproRank(TraceSink &sink, WorkerId worker, std::optional<int> device, const DproModel &model,
             DproTables &tables);

    /// For transfers: the rank's number and rings, where they are known.
    void setRings(int rank, NcclRings rings);
    void add(const ChromeSlice &slice);
    /// After the last event.
    void finish();

    WorkerId worker() const { return m_worker; }

private:
    struct Event;

    void addComputation(const ChromeSlice &slice, const Event &event);
    void addCollective(const ChromeSlice &slice, const Event &event);
    void addTransfer(const ChromeSlice &slice, const Event &event);
    void store(TrackKind kind, std::string_view row, const ChromeSlice &slice, SliceRecord record);
    std::vector<TensorId> tensorsOf(std::string_view numbers, std::uint64_t &bytes);
    std::optional<std::string> transactionOf(const Event &event, const std::vector<int> &place,
                                             const TransferInfo &transfer);

    TraceSink &m_sink;
    WorkerId m_worker;
    std::optional<int> m_device;
    const DproModel &m_model;
    std::optional<int> m_rank;
    NcclRings m_rings;
    DproTables &m_tables;
    StepRanges m_steps;
};

} // namespace core
