#pragma once

#include "collectors/format/record_scanner.h"
#include "core/import/longpole/longpole_names.h"
#include "core/import/longpole/longpole_ranks.h"
#include "core/import/round_counter.h"
#include "core/import/row_cache.h"
#include "core/model/trace_sink.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace core {

/// Gives the records of one recording to a sink.
class RecordedTranslator
{
public:
    /// The references must outlive the translator.
    RecordedTranslator(TraceSink &sink, std::string file, const RecordedNames &names);

    /// Throws Error if the file is of another major version.
    void add(const collectors::RecordView &record);
    /// After the last record: counts, rank, clocks, and what is missing.
    void finish();

private:
    using Handler = void (RecordedTranslator::*)(const collectors::RecordView &);
    struct Kind
    {
        const char *name = nullptr; ///< for counts; nullptr: not of this version
        Handler handler = nullptr; ///< nullptr: read before, or counted only
    };
    static const std::array<Kind, 256> &kinds();

    void addFileHeader(const collectors::RecordView &record);
    void addClockPair(const collectors::RecordView &record);
    void addKernel(const collectors::RecordView &record);
    void addMemcpy(const collectors::RecordView &record);
    void addMemset(const collectors::RecordView &record);
    void addApiCall(const collectors::RecordView &record);
    void addRange(const collectors::RecordView &record);
    void addSync(const collectors::RecordView &record);
    void addGraphLaunch(const collectors::RecordView &record);
    void addCollective(const collectors::RecordView &record);
    void addPointToPoint(const collectors::RecordView &record);
    void addProxyOp(const collectors::RecordView &record);
    void addProxyStep(const collectors::RecordView &record);
    void addKernelChannel(const collectors::RecordView &record);
    void addBucket(const collectors::RecordView &record);
    void addBucketAllReduce(const collectors::RecordView &record);
    void addPushPull(const collectors::RecordView &record);
    void addIteration(const collectors::RecordView &record);
    void addMemory(const collectors::RecordView &record);
    void addDropped(const collectors::RecordView &record);
    void addEnd(const collectors::RecordView &record);

    /// Where a slice goes and what it is called.
    struct Row
    {
        TrackKind kind = TrackKind::Other;
        std::string process, thread, name; ///< name: of the row
        std::optional<int> device = {};
        std::optional<WorkerId> worker = {}; ///< absent: the file's own
    };
    Row streamRow(std::uint32_t device, std::uint32_t stream) const;
    Row threadRow(std::uint32_t thread) const;
    Row networkRow(std::uint32_t channel, std::uint32_t peer, bool isSend, WorkerId worker) const;
    Row communicatorRow(std::uint64_t communicator, std::uint32_t rank, WorkerId worker) const;
    Row callRow(const collectors::RecordView &record, WorkerId worker) const;
    WorkerId workerOf(const collectors::OperationKey &key, const collectors::RecordView &record);
    void store(const collectors::RecordView &record, const Row &row, std::string_view name,
               std::int64_t startNs, std::int64_t endNs, SliceRecord slice);
    std::string operationOf(const collectors::OperationKey &key) const;
    std::string transactionOf(const collectors::OperationKey &key, std::uint32_t peer, bool isSend,
                              int step) const;
    void count(const collectors::RecordView &record, std::string_view code, Severity severity,
               std::string_view message);

    TraceSink &m_sink;
    std::string m_file;
    const RecordedNames &m_names;
    RecordedRanks m_ranks;
    std::string m_process; ///< its id
    bool m_hasHeader = false, m_hasEnd = false;
    std::array<std::uint64_t, 256> m_counts {}; ///< by kind
    RowCache m_rows;
    std::map<std::uint32_t, std::vector<TensorId>> m_buckets; ///< by index
    RoundCounter m_rounds; ///< of pushes and pulls, by tensor, key and way
    std::string m_clocks; ///< JSON items
    std::size_t m_clockCount = 0;
};

} // namespace core
