#include "core/project/codec/compression.h"

#include "core/project/codec/blob_bytes.h"
#include "core/project/project_limits.h"

#include <zstd.h>

namespace core {

struct Compressor::Private
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ByteBuffer buffer;
};

Compressor::Compressor()
    : d(std::make_unique<Private>())
{
    ZSTD_CCtx_setParameter(d->context, ZSTD_c_compressionLevel, 1);
}

Compressor::~Compressor()
{
    ZSTD_freeCCtx(d->context);
}

ByteSpan Compressor::compress(ByteSpan raw)
{
    d->buffer.resize(ZSTD_compressBound(raw.size()));
    const std::size_t size
        = ZSTD_compress2(d->context, d->buffer.data(), d->buffer.size(), raw.data(), raw.size());
    if (ZSTD_isError(size))
        throw Error(std::string("cannot compress: ") + ZSTD_getErrorName(size));
    return { d->buffer.data(), size };
}

ByteBuffer decompress(ByteSpan compressed, std::uint64_t rawBytes)
{
    constexpr std::uint64_t MostBytesAByte = 1 << 15; // of a block: 128 KiB from 4 bytes
    if (rawBytes > MaxBlobBytes || rawBytes / MostBytesAByte > compressed.size())
        failDamagedBlob("a BLOB is too large");
    ByteBuffer raw(rawBytes);
    const std::size_t size
        = ZSTD_decompress(raw.data(), raw.size(), compressed.data(), compressed.size());
    if (ZSTD_isError(size) || size != rawBytes)
        failDamagedBlob("a compressed BLOB cannot be read");
    return raw;
}

} // namespace core
