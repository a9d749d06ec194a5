#pragma once

#include <cstdint>
#include <string>

namespace tests {

/// Chakra's execution traces, field by field.
namespace chakra {

    inline std::string varint(std::uint64_t value)
    {
        std::string bytes;
        for (; value >= 0x80; value >>= 7U)
            bytes += static_cast<char>(value | 0x80U);
        return bytes + static_cast<char>(value);
    }

    inline std::string number(unsigned field, std::uint64_t value)
    {
        return varint(field << 3U) + varint(value);
    }

    inline std::string text(unsigned field, const std::string &value)
    {
        return varint(field << 3U | 2U) + varint(value.size()) + value;
    }

    inline std::string attribute(const std::string &name, unsigned valueField, std::uint64_t value)
    {
        return text(10, text(1, name) + number(valueField, value));
    }

    inline std::string delimited(const std::string &message)
    {
        return varint(message.size()) + message;
    }

    inline std::string node(std::uint64_t id, const std::string &name, std::uint64_t type,
                            const std::string &rest = {})
    {
        return delimited(number(1, id) + text(2, name) + number(3, type) + rest);
    }

    inline std::string trace(const std::string &nodes)
    {
        return delimited(text(1, "0.0.4")) + nodes;
    }

    inline std::string times(std::uint64_t startUs, std::uint64_t durationUs)
    {
        return number(6, startUs) + number(7, durationUs);
    }

    inline constexpr unsigned Int64 = 9;
    inline constexpr unsigned Bool = 27;

    /// A host op, its kernel, an all-reduce and a send.
    inline std::string wholeTrace()
    {
        const std::string group = text(10, text(1, "pg_name") + text(29, "dp"));
        return trace(
            node(1, "aten::mm", 4,
                 times(10, 5) + attribute("is_cpu_op", Bool, 1) + attribute("tid", Int64, 3))
            + node(2, "gemm", 4, text(4, varint(1)) + times(12, 20) + attribute("stream", Int64, 7))
            + node(3, "ncclAllReduce", 7,
                   text(5, varint(1) + varint(2)) + times(32, 8) + attribute("comm_type", Int64, 0)
                       + attribute("comm_size", 13, 4096) + group)
            + node(4, "ncclSend", 5,
                   number(5, 3) + times(40, 2) + attribute("comm_size", Int64, 512)
                       + attribute("comm_src", 7, 0) + attribute("comm_dst", 7, 1)
                       + attribute("comm_tag", 7, 9)));
    }

} // namespace chakra

} // namespace tests
