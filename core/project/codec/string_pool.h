#pragma once

#include "core/model/ids.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace core {

/// Interned strings; id 0 is the empty string. Texts stay where they are while the pool lives.
class StringPool
{
public:
    StringPool();
    NameId intern(std::string_view text);
    /// Absent: it was not interned.
    std::optional<NameId> find(std::string_view text) const;
    std::size_t heldBytes() const; ///< of memory, about
    std::string_view text(NameId id) const { return m_texts[id.value]; }
    std::size_t size() const { return m_texts.size(); }
    /// Forgets the newest strings until `size` are left (at least 1).
    void shrink(std::size_t size);

private:
    /// Where the text is, or would be.
    std::size_t slotOf(std::string_view text, std::uint64_t hash) const;
    std::string_view store(std::string_view text);
    void rehash(std::size_t slots);

    std::vector<std::string_view> m_texts; ///< by NameId
    std::vector<std::uint64_t> m_hashes; ///< by NameId
    std::vector<std::uint32_t> m_slots; ///< open addressing: id + 1, or 0; a power of two of them
    std::vector<std::unique_ptr<char[]>> m_blocks;
    std::size_t m_blockBytes = 0; ///< of all blocks
    std::size_t m_blockLeft = 0;
    char *m_blockNext = nullptr;
};

} // namespace core
