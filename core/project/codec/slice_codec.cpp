#include "core/project/codec/slice_codec.h"

#include "core/project/codec/blob_bytes.h"
#include "core/project/codec/column_codec.h"
#include "core/project/project_limits.h"

#include <algorithm>

namespace core {

namespace {

    template <class T>
    bool allAtMost(std::span<const T> values, T limit)
    {
        T largest {};
        for (const T value : values)
            largest = std::max(largest, value);
        return largest <= limit;
    }

    bool areStartsInRange(std::span<const std::int64_t> startNs)
    {
        std::int64_t earliest = 0, latest = 0;
        for (const std::int64_t ns : startNs) {
            earliest = std::min(earliest, ns);
            latest = std::max(latest, ns);
        }
        return earliest >= -MaxTimeNs && latest <= MaxTimeNs;
    }

    bool areDurationsInRange(std::span<const std::int64_t> durationNs)
    {
        std::int64_t shortest = 0, longest = 0;
        for (const std::int64_t ns : durationNs) {
            shortest = std::min(shortest, ns);
            longest = std::max(longest, ns);
        }
        return shortest >= 0 && longest <= MaxDurationNs;
    }

    void checkKinds(std::span<const NameId> names, std::span<const Category> categories,
                    std::span<const Phase> phases, std::size_t nameCount)
    {
        const bool namesExist = std::all_of(
            names.begin(), names.end(), [nameCount](NameId id) { return id.value < nameCount; });
        if (!namesExist || !allAtMost(categories, Category::Span)
            || !allAtMost(phases, Phase::Input))
            failDamagedBlob("a slice has an unknown name or category");
    }

    void checkRows(const SliceColumns &slices, std::size_t from, std::size_t nameCount)
    {
        const auto tail = [from](const auto &column) { return std::span(column).subspan(from); };
        checkKinds(tail(slices.name), tail(slices.category), tail(slices.phase), nameCount);
        if (!areStartsInRange(tail(slices.startNs))
            || !areDurationsInRange(tail(slices.durationNs)))
            failDamagedBlob("a slice has an impossible time");
    }

} // namespace

void encodeHot(const SliceColumns &slices, std::size_t from, std::size_t to, ByteBuffer &out)
{
    const auto rows
        = [from, to](const auto &column) { return std::span(column).subspan(from, to - from); };
    appendValues(out, rows(slices.startNs));
    appendValues(out, rows(slices.durationNs));
    appendValues(out, rows(slices.name));
    appendValues(out, rows(slices.category));
    appendValues(out, rows(slices.phase));
    appendValues(out, rows(slices.depth));
    out.resize(out.size() + (to - from)); // spare
}

void decodeHot(ByteSpan in, std::size_t rows, std::size_t nameCount, SliceColumns &slices)
{
    if (in.size() != rows * HotRowBytes)
        failDamagedBlob("a chunk of slices has a wrong size");
    const std::size_t from = slices.size();
    takeValues(in, rows, slices.startNs);
    takeValues(in, rows, slices.durationNs);
    takeValues(in, rows, slices.name);
    takeValues(in, rows, slices.category);
    takeValues(in, rows, slices.phase);
    takeValues(in, rows, slices.depth);
    checkRows(slices, from, nameCount);
}

void readKinds(const std::function<void(std::size_t, std::span<std::uint8_t>)> &read,
               std::size_t rows, std::size_t nameCount, SliceKinds &kinds)
{
    std::size_t offset = rows * sizeof(std::int64_t); // behind startNs
    const auto readColumn = [&](auto &column) {
        column.resize(rows);
        const std::span values(column);
        read(offset, { reinterpret_cast<std::uint8_t *>(values.data()), values.size_bytes() });
        offset += values.size_bytes();
    };
    readColumn(kinds.durationNs);
    readColumn(kinds.name);
    readColumn(kinds.category);
    readColumn(kinds.phase);
    checkKinds(kinds.name, kinds.category, kinds.phase, nameCount);
    if (!areDurationsInRange(kinds.durationNs))
        failDamagedBlob("a slice has an impossible time");
}

ByteBuffer encodeLinks(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
                       std::size_t from, std::size_t to)
{
    ByteBuffer out;
    const auto encode
        = [&](const CompactColumn &column) { encodeColumn(column.values(from, to), out); };
    encode(slices.correlation);
    encode(slices.externalId);
    encode(slices.sequence);
    encode(slices.forwardThread);
    encode(slices.bytes);
    encodeColumn(argsOrdinal.subspan(from, to - from), out);
    encode(slices.node);
    return out;
}

LinkColumns decodeLinks(ByteSpan in, std::size_t rows)
{
    LinkColumns links;
    for (auto *column : { &links.correlation, &links.externalId, &links.sequence,
                          &links.forwardThread, &links.bytes, &links.argsOrdinal, &links.node })
        *column = decodeColumn(in, rows);
    return links;
}

ByteBuffer encodeCarried(const CarriedSlices &carried)
{
    ByteBuffer out;
    appendValues(out, std::span<const SliceId>(carried.ids));
    encodeHot(carried.slices, 0, carried.ids.size(), out);
    return out;
}

CarriedSlices decodeCarried(ByteSpan in, std::size_t nameCount)
{
    const std::size_t rows = in.size() / (sizeof(SliceId) + HotRowBytes);
    CarriedSlices carried;
    takeValues(in, rows, carried.ids);
    decodeHot(in, rows, nameCount, carried.slices);
    return carried;
}

} // namespace core
