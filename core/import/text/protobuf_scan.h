#pragma once

#include "core/base/zigzag.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace core {

constexpr std::size_t LongestVarint = 10; ///< bytes

/// Takes a varint from the front of the text; absent, with nothing taken, where there is none or it
/// is cut.
inline std::optional<std::uint64_t> takeVarint(std::string_view &text)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < text.size() && i < LongestVarint; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7U * i);
        if (byte < 0x80) {
            text.remove_prefix(i + 1);
            return value;
        }
    }
    return std::nullopt;
}

/// Walks over the fields of one protobuf message that lies in memory, without a schema. Groups
/// (wire types 3 and 4) end the walk as malformed: no format that is read here has them.
class ProtobufFields
{
public:
    enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

    explicit ProtobufFields(std::string_view message)
        : m_rest(message)
        , m_size(message.size())
    {
    }

    /// Moves to the next field; false at the end of the message and where it is malformed.
    bool next()
    {
        m_fieldOffset = offset();
        if (m_rest.empty())
            return false;
        std::uint64_t tag = 0;
        if (!takeVarint(tag) || (tag >> 3U) == 0 || (tag >> 3U) > 0x1fffffff)
            return fail();
        m_number = static_cast<std::uint32_t>(tag >> 3U);
        m_type = static_cast<WireType>(tag & 7U);
        return takeValue() || fail();
    }

    bool isMalformed() const { return m_isMalformed; }
    std::uint32_t number() const { return m_number; }
    WireType type() const { return m_type; }
    bool isBytes() const { return m_type == WireType::Bytes; }
    /// Where the field begins in the message; after a malformed one: where it would begin.
    std::size_t fieldOffset() const { return m_fieldOffset; }

    /// The value of a Varint, Fixed32 or Fixed64 field; 0 for Bytes.
    std::uint64_t natural() const { return m_number64; }
    std::int64_t integer() const { return static_cast<std::int64_t>(m_number64); }
    /// Of sint32 and sint64.
    std::int64_t zigzag() const { return unzigzag(m_number64); }
    double real() const
    {
        double value = 0;
        std::memcpy(&value, &m_number64, sizeof value);
        return value;
    }
    /// Of a Bytes field: a string, bytes, a message or packed numbers. A view into the message.
    std::string_view bytes() const { return m_bytes; }

private:
    std::size_t offset() const { return m_size - m_rest.size(); }

    bool fail()
    {
        m_isMalformed = true;
        m_rest = {};
        return false;
    }

    bool takeVarint(std::uint64_t &value)
    {
        const std::optional<std::uint64_t> taken = core::takeVarint(m_rest);
        value = taken.value_or(0);
        return taken.has_value();
    }

    bool takeFixed(std::size_t size)
    {
        if (m_rest.size() < size)
            return false;
        m_number64 = 0; // the formats and the machines that run this are little-endian
        std::memcpy(&m_number64, m_rest.data(), size);
        m_rest.remove_prefix(size);
        return true;
    }

    bool takeBytes()
    {
        std::uint64_t size = 0;
        if (!takeVarint(size) || size > m_rest.size())
            return false;
        m_bytes = m_rest.substr(0, static_cast<std::size_t>(size));
        m_rest.remove_prefix(static_cast<std::size_t>(size));
        return true;
    }

    bool takeValue()
    {
        m_bytes = {};
        m_number64 = 0;
        switch (m_type) {
        case WireType::Varint:
            return takeVarint(m_number64);
        case WireType::Fixed64:
            return takeFixed(8);
        case WireType::Fixed32:
            return takeFixed(4);
        case WireType::Bytes:
            return takeBytes();
        }
        return false;
    }

    std::string_view m_rest;
    std::size_t m_size;
    std::size_t m_fieldOffset = 0;
    std::uint64_t m_number64 = 0;
    std::string_view m_bytes;
    std::uint32_t m_number = 0;
    WireType m_type = WireType::Varint;
    bool m_isMalformed = false;
};

} // namespace core
