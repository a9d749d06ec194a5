#include "core/project/codec.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace core {

static_assert(std::endian::native == std::endian::little, "BLOBs are little-endian");

namespace {

    constexpr std::uint8_t DeltaFlag = 0x80;

    [[noreturn]] void failDamaged(const char *what)
    {
        throw Error("the project file is damaged (" + std::string(what)
                    + "); import the bundle again");
    }

    template <class T>
    void append(ByteBuffer &out, std::span<const T> values)
    {
        const auto *data = reinterpret_cast<const std::uint8_t *>(values.data());
        out.insert(out.end(), data, data + values.size_bytes());
    }

    ByteSpan take(ByteSpan &in, std::size_t bytes)
    {
        if (bytes > in.size())
            failDamaged("a BLOB is too short");
        const ByteSpan taken = in.first(bytes);
        in = in.subspan(bytes);
        return taken;
    }

    template <class T>
    T takeValue(ByteSpan &in)
    {
        T value;
        std::memcpy(&value, take(in, sizeof(T)).data(), sizeof(T));
        return value;
    }

    /// Appends a copy of the next `rows` values of type T to `column`.
    template <class T>
    void takeColumn(ByteSpan &in, std::size_t rows, std::vector<T> &column)
    {
        const ByteSpan bytes = take(in, rows * sizeof(T));
        const std::size_t before = column.size();
        column.resize(before + rows);
        if (rows > 0)
            std::memcpy(column.data() + before, bytes.data(), bytes.size());
    }

    std::uint8_t widthFor(std::uint64_t largest)
    {
        if (largest == 0)
            return 0;
        if (largest <= std::numeric_limits<std::uint8_t>::max())
            return 1;
        if (largest <= std::numeric_limits<std::uint16_t>::max())
            return 2;
        return largest <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
    }

    std::uint64_t zigzag(std::uint64_t difference)
    {
        return (difference << 1) ^ (0 - (difference >> 63));
    }

    std::uint64_t unzigzag(std::uint64_t code)
    {
        return (code >> 1) ^ (0 - (code & 1));
    }

    /// How a column can be written narrowest.
    struct ColumnPlan
    {
        std::uint8_t width = 0;
        bool isDelta = false;
        std::uint64_t base = 0; ///< smallest non-zero value; 0: values as they are
    };

    ColumnPlan planColumn(std::span<const std::uint64_t> values)
    {
        std::uint64_t largest = 0, smallestNonZero = ~std::uint64_t(0), largestDelta = 0,
                      previous = 0;
        for (const std::uint64_t value : values) {
            largest = std::max(largest, value);
            // 0 - 1 wraps to the largest number, so that 0 never is the smallest
            smallestNonZero = std::min(smallestNonZero, value - 1);
            largestDelta = std::max(largestDelta, zigzag(value - previous));
            previous = value;
        }
        ColumnPlan plan;
        if (largest == 0)
            return plan;
        plan.base = smallestNonZero + 1;
        plan.width = widthFor(largest - plan.base + 1);
        const std::uint8_t deltaWidth = widthFor(largestDelta);
        if (deltaWidth < plan.width)
            return { deltaWidth, true, 0 };
        if (plan.width == 8)
            plan.base = 0;
        return plan;
    }

    template <class T>
    void appendNarrowed(std::span<const std::uint64_t> values, const ColumnPlan &plan,
                        ByteBuffer &out)
    {
        const std::size_t before = out.size();
        out.resize(before + values.size() * sizeof(T));
        std::uint8_t *target = out.data() + before;
        std::uint64_t previous = 0;
        for (std::uint64_t value : values) {
            std::uint64_t code = value;
            if (plan.isDelta)
                code = zigzag(value - std::exchange(previous, value));
            else if (plan.base != 0)
                code = value == 0 ? 0 : value - plan.base + 1;
            const auto narrowed = static_cast<T>(code);
            std::memcpy(target, &narrowed, sizeof(T));
            target += sizeof(T);
        }
    }

    template <class T>
    void widen(ByteSpan in, const ColumnPlan &plan, std::vector<std::uint64_t> &values)
    {
        const std::uint8_t *source = in.data();
        std::uint64_t previous = 0;
        for (std::uint64_t &value : values) {
            T narrowed;
            std::memcpy(&narrowed, source, sizeof(T));
            source += sizeof(T);
            const std::uint64_t code = narrowed;
            if (plan.isDelta)
                value = previous += unzigzag(code);
            else if (plan.base != 0)
                value = code == 0 ? 0 : code + plan.base - 1;
            else
                value = code;
        }
    }

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
            failDamaged("a slice has an unknown name or category");
    }

    void checkRows(const SliceColumns &slices, std::size_t from, std::size_t nameCount)
    {
        const auto tail = [from](const auto &column) { return std::span(column).subspan(from); };
        checkKinds(tail(slices.name), tail(slices.category), tail(slices.phase), nameCount);
        if (!areStartsInRange(tail(slices.startNs))
            || !areDurationsInRange(tail(slices.durationNs)))
            failDamaged("a slice has an impossible time");
    }

} // namespace

void encodeColumn(std::span<const std::uint64_t> values, ByteBuffer &out)
{
    const ColumnPlan plan = planColumn(values);
    out.push_back(plan.isDelta ? plan.width | DeltaFlag : plan.width);
    append(out, std::span<const std::uint64_t>(&plan.base, 1));
    if (plan.width == 1)
        appendNarrowed<std::uint8_t>(values, plan, out);
    else if (plan.width == 2)
        appendNarrowed<std::uint16_t>(values, plan, out);
    else if (plan.width == 4)
        appendNarrowed<std::uint32_t>(values, plan, out);
    else if (plan.width == 8)
        appendNarrowed<std::uint64_t>(values, plan, out);
}

std::vector<std::uint64_t> decodeColumn(ByteSpan &in, std::size_t rows)
{
    const auto code = takeValue<std::uint8_t>(in);
    ColumnPlan plan;
    plan.isDelta = (code & DeltaFlag) != 0;
    plan.width = code & static_cast<std::uint8_t>(~DeltaFlag);
    plan.base = takeValue<std::uint64_t>(in);
    if (plan.width > 8 || !(std::has_single_bit(plan.width) || plan.width == 0))
        failDamaged("a column has an unknown width");
    const ByteSpan bytes = take(in, rows * plan.width);
    std::vector<std::uint64_t> values(rows);
    if (plan.width == 1)
        widen<std::uint8_t>(bytes, plan, values);
    else if (plan.width == 2)
        widen<std::uint16_t>(bytes, plan, values);
    else if (plan.width == 4)
        widen<std::uint32_t>(bytes, plan, values);
    else if (plan.width == 8)
        widen<std::uint64_t>(bytes, plan, values);
    return values;
}

void encodeHot(const SliceColumns &slices, std::size_t from, std::size_t to, ByteBuffer &out)
{
    const auto rows
        = [from, to](const auto &column) { return std::span(column).subspan(from, to - from); };
    append(out, rows(slices.startNs));
    append(out, rows(slices.durationNs));
    append(out, rows(slices.name));
    append(out, rows(slices.category));
    append(out, rows(slices.phase));
    append(out, rows(slices.depth));
    out.resize(out.size() + (to - from)); // spare
}

void decodeHot(ByteSpan in, std::size_t rows, std::size_t nameCount, SliceColumns &slices)
{
    if (in.size() != rows * HotRowBytes)
        failDamaged("a chunk of slices has a wrong size");
    const std::size_t from = slices.size();
    takeColumn(in, rows, slices.startNs);
    takeColumn(in, rows, slices.durationNs);
    takeColumn(in, rows, slices.name);
    takeColumn(in, rows, slices.category);
    takeColumn(in, rows, slices.phase);
    takeColumn(in, rows, slices.depth);
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
        failDamaged("a slice has an impossible time");
}

ByteBuffer encodeLinks(const SliceColumns &slices, std::span<const std::uint64_t> argsOrdinal,
                       std::size_t from, std::size_t to)
{
    ByteBuffer out;
    for (const std::span<const std::uint64_t> column :
         { std::span<const std::uint64_t>(slices.correlation),
           std::span<const std::uint64_t>(slices.externalId),
           std::span<const std::uint64_t>(slices.sequence),
           std::span<const std::uint64_t>(slices.forwardThread),
           std::span<const std::uint64_t>(slices.bytes), argsOrdinal,
           std::span<const std::uint64_t>(slices.node) })
        encodeColumn(column.subspan(from, to - from), out);
    return out;
}

LinkColumns decodeLinks(ByteSpan in, std::size_t rows)
{
    LinkColumns links;
    for (auto *column : { &links.correlation, &links.externalId, &links.sequence,
                          &links.forwardThread, &links.bytes, &links.argsOrdinal })
        *column = decodeColumn(in, rows);
    if (in.empty()) // written by version 1
        links.node.resize(rows);
    else
        links.node = decodeColumn(in, rows);
    return links;
}

ByteBuffer encodeCarried(const CarriedSlices &carried)
{
    ByteBuffer out;
    append(out, std::span<const SliceId>(carried.ids));
    encodeHot(carried.slices, 0, carried.ids.size(), out);
    return out;
}

CarriedSlices decodeCarried(ByteSpan in, std::size_t nameCount)
{
    const std::size_t rows = in.size() / (sizeof(SliceId) + HotRowBytes);
    CarriedSlices carried;
    takeColumn(in, rows, carried.ids);
    decodeHot(in, rows, nameCount, carried.slices);
    return carried;
}

namespace {

    template <class Value>
    void encodeField(std::span<const LevelBin> bins, Value value, ByteBuffer &out)
    {
        std::vector<std::uint64_t> column(bins.size());
        std::transform(bins.begin(), bins.end(), column.begin(),
                       [&](const LevelBin &bin) { return static_cast<std::uint64_t>(value(bin)); });
        encodeColumn(column, out);
    }

    void checkBin(const LevelBin &bin)
    {
        const bool isTimeSane = bin.startNs >= -MaxTimeNs && bin.startNs <= MaxTimeNs
            && bin.endNs >= bin.startNs && bin.endNs <= MaxTimeNs
            && bin.endNs - bin.startNs >= bin.busyNs && bin.busyNs >= 0;
        if (!isTimeSane || bin.category > Category::Span || bin.phase > Phase::Input)
            failDamaged("a level of detail has an impossible bin");
    }

} // namespace

void encodeBins(std::span<const LevelBin> bins, ByteBuffer &out)
{
    encodeField(
        bins, [](const LevelBin &b) { return b.startNs; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.endNs - b.startNs; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.endNs - b.startNs - b.busyNs; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.count; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.longest; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.category; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.phase; }, out);
    encodeField(
        bins, [](const LevelBin &b) { return b.depth; }, out);
}

void decodeBins(ByteSpan in, std::size_t count, std::vector<LevelBin> &bins)
{
    std::vector<std::uint64_t> fields[8];
    for (auto &field : fields)
        field = decodeColumn(in, count);
    for (std::size_t i = 0; i < count; ++i) {
        LevelBin bin;
        bin.startNs = static_cast<std::int64_t>(fields[0][i]);
        bin.endNs = static_cast<std::int64_t>(fields[0][i] + fields[1][i]);
        bin.busyNs = static_cast<std::int64_t>(fields[1][i] - fields[2][i]);
        bin.count = static_cast<std::uint32_t>(fields[3][i]);
        bin.longest = fields[4][i];
        bin.category = static_cast<Category>(fields[5][i]);
        bin.phase = static_cast<Phase>(fields[6][i]);
        bin.depth = static_cast<std::uint8_t>(fields[7][i]);
        checkBin(bin);
        bins.push_back(bin);
    }
}

struct Compressor::Private
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ByteBuffer buffer;
};

Compressor::Compressor()
    : d(std::make_unique<Private>())
{
    ZSTD_CCtx_setParameter(d->context, ZSTD_c_compressionLevel, 1);
}

Compressor::~Compressor()
{
    ZSTD_freeCCtx(d->context);
}

ByteSpan Compressor::compress(ByteSpan raw)
{
    d->buffer.resize(ZSTD_compressBound(raw.size()));
    const std::size_t size
        = ZSTD_compress2(d->context, d->buffer.data(), d->buffer.size(), raw.data(), raw.size());
    if (ZSTD_isError(size))
        throw Error(std::string("cannot compress: ") + ZSTD_getErrorName(size));
    return { d->buffer.data(), size };
}

ByteBuffer decompress(ByteSpan compressed, std::uint64_t rawBytes)
{
    if (rawBytes > MaxBlobBytes)
        failDamaged("a BLOB is too large");
    ByteBuffer raw(rawBytes);
    const std::size_t size
        = ZSTD_decompress(raw.data(), raw.size(), compressed.data(), compressed.size());
    if (ZSTD_isError(size) || size != rawBytes)
        failDamaged("a compressed BLOB cannot be read");
    return raw;
}

} // namespace core
