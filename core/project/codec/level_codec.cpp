#include "core/project/codec/level_codec.h"

#include "core/project/codec/blob_bytes.h"
#include "core/project/codec/column_codec.h"
#include "core/project/project_limits.h"

#include <algorithm>

namespace core {

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
            failDamagedBlob("a level of detail has an impossible bin");
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

} // namespace core
