#include "collectors/cupti/nvtx_ranges.h"

#include "collectors/cupti/nvtx_abi.h"
#include "collectors/cupti/recorder.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace collectors {

namespace {

    std::int64_t rangeTimeNs()
    {
        timespec now {};
        clock_gettime(CLOCK_REALTIME, &now);
        return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    }

    void recordRange(ThreadLog &log, const ThreadLog::OpenRange &range, std::int64_t endNs)
    {
        if (range.isRecorded)
            log.push(
                RecordRange,
                RangeRecord { range.startNs, endNs, range.name, range.domainName, 0, range.color });
        if (range.iteration >= 0)
            log.push(RecordIteration,
                     IterationRecord { range.startNs, endNs,
                                       static_cast<std::uint64_t>(range.iteration) });
    }

    /// A range that is open and may be ended by any thread.
    struct SharedRange
    {
        std::atomic<std::uint64_t> id { 0 }; ///< 0: the place is free; 1: somebody is at it
        std::int64_t startNs = 0;
        std::uint32_t name = 0, domainName = 0, color = 0, threadId = 0;
        const Recorder *recorder = nullptr; ///< a forked child has its parent's ranges here
    };
    constexpr std::size_t MostShared = 4096;
    constexpr std::uint64_t SharedBusy = 1;
    std::array<SharedRange, MostShared> sharedRanges;
    std::atomic<std::uint64_t> nextShared { MostShared }; // its remainder is the place

    struct LastMark
    {
        std::int64_t timeNs = 0;
        std::uint64_t number = 0;
        const Recorder *recorder = nullptr; ///< that the iteration is for; nullptr: none
    };
    thread_local LastMark t_lastMark; // NOLINT(readability-identifier-naming)

} // namespace

int pushRange(const RangeText &text)
{
    Recorder *recorder = Recorder::current();
    ThreadLog *log = recorder != nullptr ? recorder->log() : nullptr;
    if (log == nullptr)
        return nvtx::NoTracking;
    auto &open = log->openRanges();
    if (open.size() >= ThreadLog::DeepestRange)
        open.erase(open.begin()); // it was never ended, or will end without a record
    ThreadLog::OpenRange range;
    range.domain = text.domain;
    const bool isIteration = recorder->isIteration(text.name);
    const std::int64_t iteration = isIteration ? recorder->beginIteration() : -1;
    range.isRecorded = recorder->isOpen();
    if (range.isRecorded) {
        range.iteration = iteration;
        range.color = text.color;
        range.domainName = log->textId(text.domainName);
        range.name = log->textId(text.name);
    }
    range.startNs = rangeTimeNs();
    open.push_back(range);
    return static_cast<int>(
               std::count_if(open.begin(), open.end(),
                             [&](const auto &one) { return one.domain == text.domain; }))
        - 1;
}

int popRange(const void *domain) noexcept
{
    const std::int64_t endNs = rangeTimeNs();
    Recorder *recorder = Recorder::current();
    ThreadLog *log = recorder != nullptr ? recorder->log() : nullptr;
    if (log == nullptr)
        return nvtx::NoTracking;
    auto &open = log->openRanges();
    const auto isOfDomain = [domain](const auto &one) { return one.domain == domain; };
    const auto last = std::find_if(open.rbegin(), open.rend(), isOfDomain);
    if (last == open.rend())
        return -1;
    recordRange(*log, *last, endNs);
    open.erase(std::next(last).base());
    return static_cast<int>(std::count_if(open.begin(), open.end(), isOfDomain));
}

std::uint64_t startRange(const RangeText &text)
{
    Recorder *recorder = Recorder::current();
    if (recorder == nullptr || !recorder->isOpen())
        return 0;
    ThreadLog *log = recorder->log();
    if (log == nullptr)
        return 0;
    const std::uint64_t id = nextShared.fetch_add(1, std::memory_order_relaxed);
    SharedRange &range = sharedRanges[id % MostShared];
    std::uint64_t expected = 0;
    if (!range.id.compare_exchange_strong(expected, SharedBusy, std::memory_order_acquire))
        return 0; // 4096 ranges later this one is still open
    range.name = log->textId(text.name);
    range.domainName = log->textId(text.domainName);
    range.color = text.color;
    range.threadId = log->threadId();
    range.recorder = recorder;
    range.startNs = rangeTimeNs();
    range.id.store(id, std::memory_order_release);
    return id;
}

void endRange(std::uint64_t id) noexcept
{
    const std::int64_t endNs = rangeTimeNs();
    Recorder *recorder = Recorder::current();
    ThreadLog *log = recorder != nullptr ? recorder->log() : nullptr;
    if (log == nullptr || id < MostShared)
        return;
    SharedRange &range = sharedRanges[id % MostShared];
    std::uint64_t expected = id;
    if (!range.id.compare_exchange_strong(expected, SharedBusy, std::memory_order_acquire))
        return;
    const std::uint32_t starter = range.threadId;
    const bool isOwn = range.recorder == recorder;
    const RangeRecord record { range.startNs,    endNs,           range.name,
                               range.domainName, log->threadId(), range.color };
    range.id.store(0, std::memory_order_release);
    if (isOwn)
        log->pushFor(starter, RecordRange, record);
}

int markMoment(const RangeText &text)
{
    Recorder *recorder = Recorder::current();
    ThreadLog *log = recorder != nullptr && recorder->isOpen() ? recorder->log() : nullptr;
    if (log == nullptr)
        return 0;
    const std::int64_t nowNs = rangeTimeNs();
    log->push(RecordRange,
              RangeRecord { nowNs, nowNs, log->textId(text.name), log->textId(text.domainName), 0,
                            text.color });
    return 0;
}

void markIteration(std::uint64_t number) noexcept
{
    Recorder *recorder = Recorder::current();
    ThreadLog *log = recorder != nullptr ? recorder->log() : nullptr;
    if (log == nullptr)
        return;
    const std::int64_t nowNs = rangeTimeNs();
    if (t_lastMark.recorder == recorder)
        log->push(RecordIteration, IterationRecord { t_lastMark.timeNs, nowNs, t_lastMark.number });
    recorder->beginIteration();
    t_lastMark = { nowNs, number, recorder->isOpen() ? recorder : nullptr };
}

} // namespace collectors
