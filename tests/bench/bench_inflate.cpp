#include "tests/support/archive_files.h"
#include "tests/support/generate/generate_kineto.h"

#include <benchmark/benchmark.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>
#ifdef LONGPOLE_HAS_LIBDEFLATE
#include <libdeflate.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

// The libraries that could inflate bundles, on the same gzip member. zlib and ISA-L stream into one
// buffer of 256 KiB, as core/bundle does; libdeflate can only inflate into a buffer for all of it.

namespace {

constexpr std::size_t BlockSize = std::size_t { 256 } * 1024;

struct Member
{
    std::size_t inflatedSize = 0;
    QByteArray stored;
};

const Member &member()
{
    static const Member kept = [] {
        std::ostringstream out;
        const bool isSmoke = std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
        tests::generateKineto(out, { .events = isSmoke ? 4000U : 200000U });
        const std::string text = out.str();
        return Member { text.size(), tests::gzip(QByteArray::fromStdString(text)) };
    }();
    return kept;
}

std::uint8_t *storedBytes()
{
    return reinterpret_cast<std::uint8_t *>(const_cast<char *>(member().stored.data()));
}

void report(benchmark::State &state, std::size_t inflatedSize)
{
    if (inflatedSize != member().inflatedSize)
        state.SkipWithError("inflates to another size");
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * inflatedSize));
    state.counters["ratio"]
        = static_cast<double>(inflatedSize) / static_cast<double>(member().stored.size());
}

void withZlib(benchmark::State &state)
{
    std::vector<std::uint8_t> block(BlockSize);
    std::size_t size = 0;
    for (auto _ : state) {
        z_stream z {};
        inflateInit2(&z, 16 + MAX_WBITS);
        z.next_in = storedBytes();
        z.avail_in = static_cast<uInt>(member().stored.size());
        int status = Z_OK;
        for (size = 0; status == Z_OK; size += BlockSize - z.avail_out) {
            z.next_out = block.data();
            z.avail_out = BlockSize;
            status = inflate(&z, Z_SYNC_FLUSH);
        }
        inflateEnd(&z);
    }
    report(state, size);
}

void withIsal(benchmark::State &state)
{
    std::vector<std::uint8_t> block(BlockSize);
    std::size_t size = 0;
    const auto z = std::make_unique<inflate_state>();
    for (auto _ : state) {
        isal_inflate_init(z.get());
        z->crc_flag = ISAL_GZIP;
        z->next_in = storedBytes();
        z->avail_in = static_cast<std::uint32_t>(member().stored.size());
        int status = ISAL_DECOMP_OK;
        for (size = 0; status == ISAL_DECOMP_OK && z->block_state != ISAL_BLOCK_FINISH;
             size += BlockSize - z->avail_out) {
            z->next_out = block.data();
            z->avail_out = BlockSize;
            status = isal_inflate(z.get());
        }
    }
    report(state, size);
}

#ifdef LONGPOLE_HAS_LIBDEFLATE
void withLibdeflate(benchmark::State &state)
{
    std::vector<std::uint8_t> all(member().inflatedSize);
    std::size_t size = 0;
    libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    for (auto _ : state)
        libdeflate_gzip_decompress(decompressor, storedBytes(),
                                   static_cast<std::size_t>(member().stored.size()), all.data(),
                                   all.size(), &size);
    libdeflate_free_decompressor(decompressor);
    report(state, size);
}
BENCHMARK(withLibdeflate)->Unit(benchmark::kMillisecond);
#endif

BENCHMARK(withZlib)->Unit(benchmark::kMillisecond);
BENCHMARK(withIsal)->Unit(benchmark::kMillisecond);

} // namespace
