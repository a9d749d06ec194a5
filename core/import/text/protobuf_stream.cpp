#include "core/import/text/protobuf_stream.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace core {

namespace {

    constexpr std::size_t BlockSize = 256 * 1024;
    constexpr std::uint32_t LargestFieldNumber = 0x1fffffff;

} // namespace

ProtobufStream::ProtobufStream(BundleEntry &entry, Diagnostics &diagnostics,
                               const JobControl &control)
    : m_reader(entry, diagnostics)
    , m_control(control)
    , m_block(BlockSize)
    , m_ends { std::numeric_limits<std::uint64_t>::max() }
{
}

bool ProtobufStream::next()
{
    skipTo(std::min(m_valueEnd, end()));
    m_fieldOffset = position();
    if (position() >= end() || available(1) == 0) {
        m_isTruncated = m_isTruncated || (m_ends.size() > 1 && position() < end());
        return false;
    }
    const std::optional<std::uint64_t> tag = takeVarint();
    if (!tag || (*tag >> 3U) == 0 || (*tag >> 3U) > LargestFieldNumber)
        return fail();
    m_number = static_cast<std::uint32_t>(*tag >> 3U);
    m_type = static_cast<WireType>(*tag & 7U);
    return takeValue() || fail();
}

std::optional<std::string_view> ProtobufStream::bytes()
{
    assert(m_type == WireType::Bytes);
    if (m_value > MaximumField)
        return std::nullopt;
    const auto size = static_cast<std::size_t>(m_value);
    if (available(size) < size) {
        m_isTruncated = true;
        return std::nullopt;
    }
    return std::string_view(m_block.data() + m_at, size);
}

void ProtobufStream::enter()
{
    assert(m_type == WireType::Bytes);
    m_ends.push_back(m_valueEnd);
    m_valueEnd = position();
}

void ProtobufStream::leave()
{
    assert(m_ends.size() > 1);
    m_valueEnd = end();
    m_ends.pop_back();
}

/// Makes `wanted` bytes lie together from m_at on; fewer where the file ends.
std::size_t ProtobufStream::available(std::size_t wanted)
{
    if (m_size - m_at >= wanted)
        return wanted;
    throwIfCancelled(m_control);
    std::memmove(m_block.data(), m_block.data() + m_at, m_size - m_at);
    m_blockOffset += m_at;
    m_size -= m_at;
    m_at = 0;
    if (m_block.size() < wanted)
        m_block.resize(wanted);
    while (m_size < wanted) {
        const std::size_t count
            = m_reader.read({ m_block.data() + m_size, m_block.size() - m_size });
        if (count == 0)
            break;
        m_size += count;
    }
    m_control.report(m_reader.entry().progress(), m_reader.entry().name());
    return std::min(wanted, m_size);
}

std::optional<std::uint64_t> ProtobufStream::takeVarint()
{
    const std::size_t most = available(LongestVarint);
    const std::uint64_t left = end() - position();
    std::string_view text(m_block.data() + m_at, std::min<std::uint64_t>(most, left));
    const std::size_t before = text.size();
    const std::optional<std::uint64_t> value = core::takeVarint(text);
    m_at += value ? before - text.size() : before;
    return value;
}

bool ProtobufStream::takeValue()
{
    std::uint64_t size = 0;
    if (m_type == WireType::Varint || m_type == WireType::Bytes) {
        const std::optional<std::uint64_t> value = takeVarint();
        if (!value)
            return false;
        m_value = *value;
        size = m_type == WireType::Bytes ? m_value : 0;
    } else if (m_type == WireType::Fixed64 || m_type == WireType::Fixed32) {
        size = m_type == WireType::Fixed64 ? 8 : 4;
        const auto wanted = static_cast<std::size_t>(size);
        m_value = 0; // the formats and the machines that run this are little-endian
        if (available(wanted) < wanted) {
            m_isTruncated = true;
            return false;
        }
        std::memcpy(&m_value, m_block.data() + m_at, wanted);
    } else {
        return false;
    }
    if (size > end() - position())
        return false;
    m_valueEnd = position() + size;
    return true;
}

void ProtobufStream::skipTo(std::uint64_t target)
{
    while (position() < target) {
        const std::uint64_t missing = target - position();
        const std::size_t count = available(1) == 0 ? 0 : m_size - m_at;
        if (count == 0) {
            m_isTruncated = true;
            return;
        }
        m_at += static_cast<std::size_t>(std::min<std::uint64_t>(count, missing));
    }
}

bool ProtobufStream::fail()
{
    m_valueEnd = end();
    if (available(1) == 0)
        m_isTruncated = true;
    if (m_isTruncated)
        return false;
    m_firstDamage = m_firstDamage.value_or(m_fieldOffset);
    ++m_damageCount;
    return false;
}

} // namespace core
