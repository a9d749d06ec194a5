#include "core/project/codec/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace core {

namespace {

    constexpr std::size_t BlockBytes = 64 * 1024;

} // namespace

StringPool::StringPool()
{
    rehash(1024);
    intern("");
}

std::size_t StringPool::slotOf(std::string_view text, std::uint64_t hash) const
{
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = hash & mask;
    for (; m_slots[slot] != 0; slot = (slot + 1) & mask) {
        const std::uint32_t id = m_slots[slot] - 1;
        if (m_hashes[id] == hash && m_texts[id] == text)
            break;
    }
    return slot;
}

std::optional<NameId> StringPool::find(std::string_view text) const
{
    const std::size_t slot = slotOf(text, std::hash<std::string_view> {}(text));
    if (m_slots[slot] == 0)
        return std::nullopt;
    return NameId(m_slots[slot] - 1);
}

std::size_t StringPool::heldBytes() const
{
    return m_blockBytes + m_texts.size() * (sizeof(std::string_view) + sizeof(std::uint64_t))
        + m_slots.size() * sizeof(std::uint32_t);
}

NameId StringPool::intern(std::string_view text)
{
    const std::uint64_t hash = std::hash<std::string_view> {}(text);
    const std::size_t slot = slotOf(text, hash);
    if (m_slots[slot] != 0)
        return NameId(m_slots[slot] - 1);
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_texts.push_back(store(text));
    m_hashes.push_back(hash);
    m_slots[slot] = id + 1;
    if (m_texts.size() * 2 > m_slots.size())
        rehash(m_slots.size() * 2);
    return NameId(id);
}

void StringPool::shrink(std::size_t size)
{
    m_texts.resize(std::max<std::size_t>(size, 1));
    m_hashes.resize(m_texts.size());
    rehash(m_slots.size());
}

std::string_view StringPool::store(std::string_view text)
{
    if (text.empty())
        return {};
    if (text.size() > m_blockLeft) {
        m_blockLeft = std::max(BlockBytes, text.size());
        m_blockBytes += m_blockLeft;
        m_blocks.push_back(std::make_unique<char[]>(m_blockLeft));
        m_blockNext = m_blocks.back().get();
    }
    std::memcpy(m_blockNext, text.data(), text.size());
    const std::string_view stored(m_blockNext, text.size());
    m_blockNext += text.size();
    m_blockLeft -= text.size();
    return stored;
}

void StringPool::rehash(std::size_t slots)
{
    m_slots.assign(slots, 0);
    for (std::uint32_t id = 0; id < m_texts.size(); ++id) {
        std::size_t slot = m_hashes[id] & (slots - 1);
        while (m_slots[slot] != 0)
            slot = (slot + 1) & (slots - 1);
        m_slots[slot] = id + 1;
    }
}

} // namespace core
