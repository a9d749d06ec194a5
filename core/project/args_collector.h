#pragma once

#include "core/project/codec.h"

#include <cstdint>
#include <future>
#include <string_view>
#include <vector>

namespace core {

/// A block of args texts as the project stores it; see "Args" in README.md.
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
    std::uint64_t add(std::string_view text); ///< returns its ordinal, from 0 in this file
    std::uint64_t count() const { return m_nextOrdinal; } ///< texts added so far
    /// All blocks, in order; afterwards there are none.
    std::vector<CompressedArgs> takeBlocks();

private:
    void flush();
    void collectPending();

    std::uint64_t m_nextOrdinal = 0;
    std::vector<std::uint32_t> m_lengths;
    ByteBuffer m_texts;
    std::vector<CompressedArgs> m_blocks;
    Compressor m_compressor; ///< used by m_pending while that runs
    std::future<CompressedArgs> m_pending; ///< waits for its thread when destroyed
};

} // namespace core
