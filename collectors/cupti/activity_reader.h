#pragma once

#include "collectors/cupti/cupti_library.h"
#include "collectors/cupti/text_ids.h"
#include "collectors/format/record_file.h"
#include "collectors/format/record_ring.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace collectors {

/// Turns CUPTI's activity records into records of the file. For one thread.
///
/// CUPTI's clock is CLOCK_REALTIME on Linux; where it is not, setClockOffset() says how far off.
class ActivityReader
{
public:
    ActivityReader(const CuptiLibrary &library, RecordFile &file, TextIds &ids);

    /// All records of a buffer that CUPTI has filled.
    void read(std::uint8_t *buffer, std::size_t validBytes);
    /// After the buffers of one flush: what waits for another record has waited once more; then
    /// everything is in the file.
    void finishRound();
    /// Everything is in the file, also what waits.
    void finish();

    /// CUPTI's clock is that much ahead of CLOCK_REALTIME.
    void setClockOffset(std::int64_t offsetNs) { m_clockOffsetNs = offsetNs; }
    /// Device activities that start outside of [open, close) of all windows are left out. Times of
    /// CLOCK_REALTIME; what was said before stays valid.
    void openWindow(std::int64_t fromNs) { m_windows.push_back({ fromNs, StillOpen }); }
    void closeWindow(std::int64_t untilNs);

    std::uint64_t recordCount() const { return m_recordCount; }

private:
    static constexpr std::size_t BatchBytes = std::size_t { 1 } << 20U;
    static constexpr std::int64_t StillOpen = INT64_MAX;
    static constexpr std::size_t MostWindows = 1024; ///< older ones' records have been read
    static constexpr std::size_t EventSlots = 1U << 16U;
    static constexpr std::size_t MostWaiting = 65'536;
    static constexpr std::size_t MostKernelNames = 65'536; ///< kept at a time

    struct Window
    {
        std::int64_t fromNs, untilNs;
    };
    struct KernelName
    {
        std::uint32_t id = 0;
        std::string text; ///< a name's memory may be used for another one
    };
    struct RecordedEvent
    {
        std::uint64_t syncId = 0;
        std::uint64_t correlation = 0;
    };
    /// A stream's wait whose event's record has not come yet.
    struct WaitingSync
    {
        SyncRecord record;
        std::uint64_t syncId = 0;
        int rounds = 0;
    };

    void readKernel(const std::uint8_t *data);
    void readMemcpy(const std::uint8_t *data);
    void readMemcpyPeer(const std::uint8_t *data);
    void readMemset(const std::uint8_t *data);
    void readApi(const std::uint8_t *data);
    void readSynchronization(const std::uint8_t *data);
    void readCudaEvent(const std::uint8_t *data);
    void readExternalCorrelation(const std::uint8_t *data);
    void readGraphTrace(const std::uint8_t *data);
    void readContext(const std::uint8_t *data);
    void readOne(std::uint32_t kind, const std::uint8_t *data);

    std::int64_t timeOf(std::uint64_t cuptiNs) const;
    bool isInWindow(std::int64_t startNs) const;
    std::uint32_t kernelName(const char *name);
    std::uint32_t apiName(bool isDriver, std::uint32_t callback);
    std::uint32_t newText(std::string_view text);
    std::uint64_t correlationOfEvent(std::uint64_t syncId) const;
    void writeResolved();
    template <class Record>
    void put(RecordKind kind, std::uint32_t threadId, const Record &record);
    void drain();

    const CuptiLibrary &m_library;
    RecordFile &m_file;
    TextIds &m_ids;
    RecordRing m_batch;
    std::size_t m_batchBytes = 0;
    std::int64_t m_clockOffsetNs = 0;
    std::deque<Window> m_windows;
    std::uint64_t m_recordCount = 0;
    std::unordered_map<const char *, KernelName> m_kernelNames;
    std::array<std::vector<std::uint32_t>, 2> m_apiNames; ///< [isDriver][callback]; 0: not asked
    std::unordered_map<std::uint32_t, std::uint32_t> m_devices; ///< by context
    std::vector<RecordedEvent> m_events; ///< by the low bits of their id: the last ones
    std::vector<WaitingSync> m_waiting;
};

} // namespace collectors
