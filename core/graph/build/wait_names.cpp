#include "core/graph/build/wait_names.h"

#include "core/graph/build/launched_work.h"
#include "core/model/by_worker.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace core {

namespace {

    /// Shorter calls move no prediction, and end near an activity's end by chance.
    constexpr std::int64_t LongCallNs = 50'000;
    /// A thread that sleeps until an interrupt of the device is awake again within some 10 us;
    /// what clocks and rounding leave may let it seem to return before.
    constexpr std::int64_t MostWakeUpNs = 50'000, MostEarlyNs = 5'000;
    constexpr std::size_t LeastWaits = 2; ///< of a name; one may be chance

    /// Endings of the calls of the drivers and runtimes of NVIDIA, AMD and Moore Threads
    /// (cuStreamSynchronize, hipEventSynchronize, musaDeviceSynchronize), Intel (urEventWait,
    /// zeEventHostSynchronize, piQueueFinish), Ascend (aclrtSynchronizeStreamWithTimeout) and
    /// Habana (synStreamSynchronize).
    constexpr std::array StreamWaitEndings
        = { std::string_view("StreamSynchronize"), std::string_view("QueueSynchronize"),
            std::string_view("SynchronizeStream"), std::string_view("QueueFinish") };
    constexpr std::array EventWaitEndings
        = { std::string_view("EventSynchronize"),   std::string_view("HostSynchronize"),
            std::string_view("FenceSynchronize"),   std::string_view("SynchronizeEvent"),
            std::string_view("SynchronizeBarrier"), std::string_view("EventWait") };
    constexpr std::array DeviceWaitEndings = {
        std::string_view("DeviceSynchronize"),
        std::string_view("CtxSynchronize"),
        std::string_view("SynchronizeDevice"),
    };

    /// Without what versions of a call add behind its name: "cudaStreamSynchronize_v3020",
    /// "cuStreamSynchronize_ptsz", "aclrtSynchronizeStreamWithTimeout".
    std::string_view withoutVersion(std::string_view name)
    {
        name = name.substr(0, name.find('_'));
        constexpr std::string_view timeout = "WithTimeout";
        return name.ends_with(timeout) ? name.substr(0, name.size() - timeout.size()) : name;
    }

    /// Calls of C begin with the letters of their library, in small letters.
    bool isCall(std::string_view name)
    {
        return !name.empty() && name.front() >= 'a' && name.front() <= 'z'
            && name.find_first_of(" .:(") == std::string_view::npos;
    }

    template <std::size_t count>
    bool endsWithAny(std::string_view name, const std::array<std::string_view, count> &endings)
    {
        return std::any_of(endings.begin(), endings.end(),
                           [name](std::string_view ending) { return name.ends_with(ending); });
    }

    /// Calls of one name while the device had work.
    struct SeenCalls
    {
        std::size_t all = 0, waiting = 0;
    };
    using CallsByName = std::unordered_map<std::uint32_t, SeenCalls>;

    bool isLongCall(const SliceColumns &slices, std::size_t row)
    {
        return slices.category[row] == Category::Runtime && slices.durationNs[row] >= LongCallNs;
    }

    void countCalls(const LaunchedWork &work, const SliceColumns &slices,
                    const std::vector<char> &isKnown, CallsByName &calls)
    {
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (!isLongCall(slices, row) || isKnown[slices.name[row].value]
                || work.hasActivity(slices.correlation[row]))
                continue;
            const std::int64_t startNs = slices.startNs[row], endNs = slices.endNs(row);
            const auto doneNs = work.nearestEnd(startNs, endNs);
            if (!doneNs || *doneNs <= startNs)
                continue;
            SeenCalls &seen = calls[slices.name[row].value];
            ++seen.all;
            const std::int64_t afterNs = endNs - *doneNs;
            if (afterNs >= -MostEarlyNs && afterNs <= MostWakeUpNs
                && 2 * afterNs < slices.durationNs[row])
                ++seen.waiting;
        }
    }

    bool hasLongCalls(const Trace &trace, const std::vector<const Track *> &tracks,
                      const std::vector<char> &isKnown)
    {
        return std::any_of(tracks.begin(), tracks.end(), [&](const Track *track) {
            const SliceColumns &slices = trace.slices[track->id.value];
            if (track->kind != TrackKind::HostThread || slices.correlation.empty())
                return false;
            for (std::size_t row = 0; row < slices.size(); ++row)
                if (isLongCall(slices, row) && !isKnown[slices.name[row].value])
                    return true;
            return false;
        });
    }

} // namespace

bool isBlockingCall(std::string_view name)
{
    // XLA's, as PjRtFuture and PyArray have them: "Await", "PyArray::BlockUntilReady" ...
    if (name.ends_with("Await") || name.ends_with("UntilReady") || name.ends_with("until_ready"))
        return true;
    if (name == "hipMemcpyWithStream" || name == "cudaMemcpy" || name == "hipMemcpy")
        return true;
    return waitsForStream(name)
        || (isCall(name) && endsWithAny(withoutVersion(name), EventWaitEndings));
}

bool waitsForDevice(std::string_view name)
{
    return isCall(name) && endsWithAny(withoutVersion(name), DeviceWaitEndings);
}

bool waitsForStream(std::string_view name)
{
    return waitsForDevice(name)
        || (isCall(name) && endsWithAny(withoutVersion(name), StreamWaitEndings));
}

std::vector<char> namesThatBlock(const Trace &trace)
{
    std::vector<char> blocks(trace.names.size(), 0);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = isBlockingCall(trace.names[i]) ? 1 : 0;
    const WorkerTracks tracks(trace);
    CallsByName calls;
    for (const Worker &worker : trace.workers)
        for (const std::vector<const Track *> &own : byFile(tracks.of(worker.id))) {
            if (!hasLongCalls(trace, own, blocks))
                continue;
            const LaunchedWork work(trace, own);
            for (const Track *track : own)
                if (track->kind == TrackKind::HostThread)
                    countCalls(work, trace.slices[track->id.value], blocks, calls);
        }
    for (const auto &[name, seen] : calls)
        if (seen.waiting >= LeastWaits && 3 * seen.waiting >= 2 * seen.all)
            blocks[name] = 1;
    return blocks;
}

} // namespace core
