#pragma once

#include "core/import/chrome_slices.h"
#include "core/import/dpro_folder.h"
#include "core/import/dpro_names.h"
#include "core/import/step_ranges.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One rank of a dPRO trace: makes slices of events that have dPRO's names.
///
/// FW, BW, UPDATE and OUTPUT are kernels, since dPRO records what runs on the GPU; I/O are host
/// ops. Comm.<tensors>.NCCL_ALLREDUCE (or ALLREDUCE) is the collective; SEND, RECV and the requests
/// and responses of a parameter server are transfers on rows of their own; other sub-ops
/// annotations.
class DproRank
{
public:
    /// `device`: index of the rank's GPU on its host. `gradients`: names by number.
    DproRank(TraceSink &sink, WorkerId worker, std::optional<int> device,
             const std::vector<std::string> &gradients);

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
    std::vector<TensorId> tensorsOf(std::string_view numbers);
    std::string transactionOf(const Event &event, const std::vector<int> &place,
                              const TransferInfo &transfer);

    TraceSink &m_sink;
    WorkerId m_worker;
    std::optional<int> m_device;
    const std::vector<std::string> &m_gradients;
    std::optional<int> m_rank;
    NcclRings m_rings;
    StepRanges m_steps;
    std::map<std::string, TrackId, std::less<>> m_tracks;
    std::map<std::string, std::uint64_t> m_rounds; ///< how often a transaction came
};

} // namespace core
