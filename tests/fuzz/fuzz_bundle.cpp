// Any bytes as a file that a user names: an archive, a gzip file, both, or neither. Every entry is
// read to its end or to its error.
#include "core/base/error.h"
#include "core/bundle/bundle.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace {

constexpr std::size_t MostBytes = 64 * 1024 * 1024; ///< of one entry: a fuzzer finds bombs soon

std::filesystem::path scratchFile()
{
    static const std::filesystem::path path = std::filesystem::temp_directory_path()
        / ("longpole-fuzz-" + std::to_string(::getpid()) + ".zip");
    return path;
}

void readAll(core::BundleEntry &entry)
{
    static std::array<char, 64 * 1024> buffer;
    std::size_t total = 0;
    while (total < MostBytes) {
        const std::size_t got = entry.read(buffer);
        if (got == 0)
            break;
        total += got;
    }
}

void readEntry(const core::Bundle &bundle, std::size_t index)
{
    try {
        const auto entry = bundle.open(index);
        readAll(*entry);
        entry->openOther("");
        entry->openOther("../other.json");
        entry->plainFile();
    } catch (const core::Error &) {
        // refused: as good as read
    }
}

} // namespace

// libFuzzer calls a function of this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    {
        std::ofstream file(scratchFile(), std::ios::binary | std::ios::trunc);
        file.write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
    }
    try {
        const auto bundle = core::openBundle({ scratchFile() });
        for (std::size_t i = 0; i < bundle->items().size() && i < 100; ++i)
            readEntry(*bundle, i);
    } catch (const core::Error &) {
        // refused: as good as read
    }
    return 0;
}
