#include "core/project/codec/column_codec.h"

#include "core/base/zigzag.h"
#include "core/project/codec/blob_bytes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace core {

namespace {

    constexpr std::uint8_t DeltaFlag = 0x80;

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

    /// Columns are unsigned and wrap around.
    std::uint64_t zigzagOf(std::uint64_t difference)
    {
        return zigzag(static_cast<std::int64_t>(difference));
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
            largestDelta = std::max(largestDelta, zigzagOf(value - previous));
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
                code = zigzagOf(value - std::exchange(previous, value));
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
                value = previous += static_cast<std::uint64_t>(unzigzag(code));
            else if (plan.base != 0)
                value = code == 0 ? 0 : code + plan.base - 1;
            else
                value = code;
        }
    }

} // namespace

void encodeColumn(std::span<const std::uint64_t> values, ByteBuffer &out)
{
    const ColumnPlan plan = planColumn(values);
    out.push_back(plan.isDelta ? plan.width | DeltaFlag : plan.width);
    appendValues(out, std::span<const std::uint64_t>(&plan.base, 1));
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
        failDamagedBlob("a column has an unknown width");
    const ByteSpan bytes = takeBytes(in, rows * plan.width);
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

} // namespace core
