#pragma once

#include "core/import/chrome/chrome_slices.h"
#include "core/import/dpro/dpro_model.h"
#include "core/import/horovod/horovod_collectives.h"
#include "core/import/importer.h"
#include "core/import/row_cache.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace core {

/// The rows of a Horovod or BlueFog timeline, one a tensor: gives their slices to the sink as
/// annotations, and the collectives that run in them to HorovodCollectives. What BlueFog times of a
/// layer's computation, by its parameters, is a row of its own.
class HorovodTimeline : public ChromeSliceConsumer
{
public:
    /// Adds the rank that wrote the file to the sink. The references must outlive the object.
    HorovodTimeline(const BundleEntry &entry, TraceSink &sink);

    void addSlice(const ChromeSlice &slice) override;
    void addMetadata(std::string_view name, std::string_view pid, std::string_view tid,
                     std::string_view args) override;
    /// The operations of a tensor follow each other: negotiation, then the operation. So do the
    /// activities within an operation.
    bool hasEnded(std::string_view open, std::string_view begun) const override;
    /// The next operation of a tensor has nothing of one whose end is lost.
    void addUnended(std::string_view open, std::string_view begun, std::string_view pid) override;
    /// After the last event.
    void finish(const ChromeSlices::Counts &counts);

private:
    struct Row
    {
        std::string tensor;
        bool isNamed = false; ///< `tensor` stands in the file
        HorovodOp op; ///< what is known of the operation under way
    };

    /// nullptr past what the import may hold, which is counted.
    Row *rowOf(std::string_view pid);
    bool takeRoom(std::size_t sizeBytes);
    TrackId trackOf(const ChromeSlice &slice, const Row *row);
    void addTick(Row *row, const ChromeSlice &slice, int rank, std::int64_t startNs);
    void noteReady(HorovodOp &op, int rank, std::int64_t startNs);
    void noteActivity(Row &row, const ChromeSlice &slice, TimeRange range);
    void noteTransfer(HorovodOp &op, const ChromeSlice &slice, TimeRange range);
    void finishOp(Row &row, const ChromeSlice &slice, TimeRange range);
    void addComputation(const Row *row, const ChromeSlice &slice, TimeRange range);

    std::string m_file;
    TraceSink &m_sink;
    WorkerId m_worker;
    HorovodCollectives m_collectives;
    std::map<std::string, Row, std::less<>> m_rows; ///< by pid
    std::size_t m_heldBytes = 0; ///< by m_rows
    DproModel m_model; ///< of a folder that dPRO wrote
    RowCache m_tracks;
    std::int64_t m_computedUntilNs; ///< by the computation so far
    std::int64_t m_epochNs = 0;
    bool m_hasEpoch = false;
};

} // namespace core
