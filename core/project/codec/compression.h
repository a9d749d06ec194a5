#pragma once

#include "core/sqlite/database.h"

#include <cstdint>
#include <memory>

namespace core {

/// zstd level 1; keeps its working memory between calls.
class Compressor
{
public:
    Compressor();
    ~Compressor();
    Compressor(const Compressor &) = delete;
    Compressor &operator=(const Compressor &) = delete;
    /// The bytes live until the next call.
    ByteSpan compress(ByteSpan raw);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// Throws Error if the bytes are damaged, or come to another size than `rawBytes`.
ByteBuffer decompress(ByteSpan compressed, std::uint64_t rawBytes);

} // namespace core
