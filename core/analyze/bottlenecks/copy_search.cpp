#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/base/duration_text.h"
#include "core/model/by_worker.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

// Copies to, from and on accelerators.
namespace core {

namespace {

    constexpr std::size_t MostKindsTold = 3;
    constexpr double BitsPerByte = 8;

    /// Copies of one name, which says their direction and memory ("Memcpy HtoD (Pageable ->
    /// Device)"), in the iterations that count.
    struct CopiesOfName
    {
        std::string_view name;
        std::size_t count = 0;
        std::int64_t ns = 0, withBytesNs = 0;
        std::uint64_t bytes = 0;
    };

    bool holds(std::string_view text, std::string_view word)
    {
        return text.find(word) != std::string_view::npos;
    }

    /// Longest first.
    std::vector<CopiesOfName> copiesOf(const Trace &trace)
    {
        const WorkerTracks tracks(trace);
        std::map<NameId, CopiesOfName> byName;
        for (const Iteration &iteration : trace.compared.iterations)
            for (const Track *track : tracks.of(iteration.worker)) {
                if (track->kind != TrackKind::Stream)
                    continue;
                const SliceColumns &slices = trace.slices[track->id.value];
                const auto first = std::lower_bound(slices.startNs.begin(), slices.startNs.end(),
                                                    iteration.range.startNs);
                for (auto row = static_cast<std::size_t>(first - slices.startNs.begin());
                     row < slices.size() && slices.startNs[row] < iteration.range.endNs; ++row) {
                    if (slices.category[row] != Category::Memcpy
                        && slices.category[row] != Category::Memset)
                        continue;
                    CopiesOfName &copies = byName[slices.name[row]];
                    ++copies.count;
                    copies.ns += slices.durationNs[row];
                    if (slices.bytes.empty() || slices.bytes[row] == 0)
                        continue;
                    copies.bytes += slices.bytes[row];
                    copies.withBytesNs += slices.durationNs[row];
                }
            }
        std::vector<CopiesOfName> all;
        for (auto &[name, copies] : byName) {
            copies.name = trace.nameOf(name);
            all.push_back(copies);
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const auto &a, const auto &b) { return a.ns > b.ns; });
        return all;
    }

    enum class Direction { FromHost, ToHost, OnDevices };

    Direction directionOf(std::string_view name)
    {
        if (holds(name, "HtoD") || holds(name, "HostToDevice") || holds(name, "Host -> Device"))
            return Direction::FromHost;
        if (holds(name, "DtoH") || holds(name, "DeviceToHost") || holds(name, "Device -> Host"))
            return Direction::ToHost;
        return Direction::OnDevices;
    }

    /// The name to which most of the critical path's copies go; where it has none, that of most
    /// copies.
    std::string_view mainCopies(const CriticalPathReport &path,
                                const std::vector<CopiesOfName> &copies)
    {
        std::map<std::string_view, std::int64_t> onPath;
        for (const CriticalOp &op : path.ops)
            if (isCopyOp(op))
                onPath[op.name] += op.durationNs;
        const auto most
            = std::max_element(onPath.begin(), onPath.end(),
                               [](const auto &a, const auto &b) { return a.second < b.second; });
        if (most != onPath.end())
            return most->first;
        return copies.empty() ? std::string_view() : copies.front().name;
    }

    std::string titleOf(Direction direction)
    {
        if (direction == Direction::FromHost)
            return "Copies from the host";
        return direction == Direction::ToHost ? "Copies to the host" : "Copies on accelerators";
    }

    std::string rateOf(const CopiesOfName &copies)
    {
        if (copies.bytes == 0 || copies.withBytesNs <= 0)
            return {};
        const double bytesPerNs
            = static_cast<double>(copies.bytes) / static_cast<double>(copies.withBytesNs);
        return " at " + rateText(bytesPerNs * 1e3 * BitsPerByte);
    }

    std::string adviceOn(std::string_view name)
    {
        const Direction direction = directionOf(name);
        if (direction == Direction::OnDevices)
            return "Look where tensors are copied: .contiguous(), .clone(), changes of layout.";
        if (direction == Direction::ToHost)
            return "Copy results less often, or into pinned memory with non_blocking=True.";
        if (holds(name, "Pageable"))
            return "Pin the memory: DataLoader(pin_memory=True), and copy with non_blocking=True.";
        return "Copy beside computation: the next batch on a stream of its own, or send fewer "
               "bytes.";
    }

} // namespace

std::optional<Bottleneck> findCopies(const BottleneckSearch &search)
{
    if (search.obstacle("copy_scale"))
        return std::nullopt;
    auto found = search.withGainOf("copies", { { "copy_scale", 0.0 } });
    if (!found)
        return std::nullopt;
    const std::vector<CopiesOfName> copies = copiesOf(search.trace);
    const std::string_view main = mainCopies(search.diagnosis.criticalPath, copies);
    found->title = titleOf(directionOf(main));
    found->effect = " cost ";
    for (std::size_t i = 0; i < std::min(MostKindsTold, copies.size()); ++i)
        found->evidence.push_back(
            std::string(copies[i].name) + ": " + std::to_string(copies[i].count)
            + (copies[i].count == 1 ? " copy" : " copies") + " of " + durationText(copies[i].ns)
            + " in all"
            + (copies[i].bytes > 0 ? ", " + bytesText(copies[i].bytes) + rateOf(copies[i]) : "")
            + ".");
    if (const std::string longest = longestOnPath(search.diagnosis.criticalPath, isCopyOp);
        !longest.empty())
        found->evidence.push_back("Longest on the critical path: " + longest + ".");
    found->isBound = true;
    found->evidence.push_back("Upper bound: copies take no time. " + predictedText(*found));
    found->advice = adviceOn(main);
    search.pointAtLongestOp(*found, isCopyOp);
    return found;
}

} // namespace core
