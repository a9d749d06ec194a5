#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tests {

/// Writes one protobuf message field by field; str() is its serialised form.
class ProtobufWriter
{
public:
    ProtobufWriter &number(std::uint32_t field, std::uint64_t value)
    {
        varint(field << 3U);
        varint(value);
        return *this;
    }
    ProtobufWriter &real(std::uint32_t field, double value)
    {
        varint(field << 3U | 1U);
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        m_bytes.append(bytes, sizeof value);
        return *this;
    }
    ProtobufWriter &bytes(std::uint32_t field, std::string_view value)
    {
        varint(field << 3U | 2U);
        varint(value.size());
        m_bytes += value;
        return *this;
    }
    ProtobufWriter &message(std::uint32_t field, const ProtobufWriter &value)
    {
        return bytes(field, value.m_bytes);
    }
    const std::string &str() const { return m_bytes; }

private:
    void varint(std::uint64_t value)
    {
        for (; value > 0x7f; value >>= 7U)
            m_bytes += static_cast<char>((value & 0x7fU) | 0x80U);
        m_bytes += static_cast<char>(value);
    }

    std::string m_bytes;
};

} // namespace tests
