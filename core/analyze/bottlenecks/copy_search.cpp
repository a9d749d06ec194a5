#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/base/duration_text.h"

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
        std::map<NameId, CopiesOfName> byName;
        for (const Iteration &iteration : trace.compared.iterations)
            for (const Track &track : trace.tracks) {
                if (track.worker != iteration.worker || track.kind != TrackKind::Stream)
                    continue;
                const SliceColumns &slices = trace.slices[track.id.value];
                const auto first = std::lower_bound(slices.startNs.begin(), slices.startNs.end(),
                                                    iteration.range.startNs);
                for (auto row = static_cast<std::size_t>(first - slices.startNs.begin());
                     row < slices.size() && slices.startNs[row] < iteration.range.endNs; ++row) {
                    if (slices.category[row] != Category::Memcpy)
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

    /// "from the host", by what most of their time goes to.
    std::string directionText(const std::vector<CopiesOfName> &copies)
    {
        const std::string_view name = copies.empty() ? std::string_view() : copies.front().name;
        if (holds(name, "HtoD") || holds(name, "HostToDevice") || holds(name, "Host -> Device"))
            return "Copies from the host";
        if (holds(name, "DtoH") || holds(name, "DeviceToHost") || holds(name, "Device -> Host"))
            return "Copies to the host";
        return "Copies on accelerators";
    }

    std::string rateOf(const CopiesOfName &copies)
    {
        if (copies.bytes == 0 || copies.withBytesNs <= 0)
            return {};
        const double bytesPerNs
            = static_cast<double>(copies.bytes) / static_cast<double>(copies.withBytesNs);
        return " at " + rateText(bytesPerNs * 1e3 * BitsPerByte);
    }

    std::string adviceOn(const std::vector<CopiesOfName> &copies)
    {
        const bool isPageable = !copies.empty() && holds(copies.front().name, "Pageable");
        if (isPageable)
            return "Pin the memory: DataLoader(pin_memory=True), and copy with non_blocking=True.";
        if (directionText(copies) == "Copies on accelerators")
            return "Look where tensors are copied: .contiguous(), .clone(), changes of layout.";
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
    found->title = directionText(copies);
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
    found->evidence.push_back("Upper bound: copies take no time. " + predictedText(*found));
    found->advice = adviceOn(copies);
    search.pointAtLongestOp(*found, isCopyOp);
    return found;
}

} // namespace core
