#pragma once

#include "core/project/codec/compression.h"
#include "core/project/write/spill_file.h"

#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string_view>
#include <vector>

namespace core {

/// A block of args texts as the project stores it; see args_block in schema.sql.
struct CompressedArgs
{
    std::uint64_t count = 0; ///< texts
    std::uint64_t rawBytes = 0; ///< uncompressed
    ByteBuffer data;
    ByteBuffer filter; ///< see makeArgsFilter()
};

/// Gathers the args texts of one file, in order of arrival, in compressed blocks. A full block is
/// compressed in a thread of its own while the next one fills. One thread at a time.
class ArgsCollector
{
public:
    /// Returns its ordinal, from 0 in this file. The text has at most MaxArgsBytes.
    std::uint64_t add(std::string_view text);
    std::uint64_t count() const { return m_nextOrdinal; } ///< texts added so far
    std::size_t heldBytes() const { return m_heldBytes; } ///< of blocks in memory
    /// Writes the blocks in memory to a file.
    void spill(SpillFile &file);
    /// Gives all blocks in order and forgets them. file: where blocks were spilled; else null.
    void takeBlocks(SpillFile *file, const std::function<void(const CompressedArgs &)> &take);

private:
    struct Block
    {
        CompressedArgs args; ///< without data where that is spilled
        std::optional<SpillExtent> spilled;
    };
    void flush();
    void collectPending();

    std::uint64_t m_nextOrdinal = 0;
    std::vector<std::uint32_t> m_lengths;
    ByteBuffer m_texts;
    std::vector<Block> m_blocks;
    std::size_t m_heldBytes = 0;
    std::size_t m_firstHeld = 0; ///< of m_blocks; those before are spilled
    Compressor m_compressor; ///< used by m_pending while that runs
    std::future<CompressedArgs> m_pending; ///< waits for its thread when destroyed
};

} // namespace core
