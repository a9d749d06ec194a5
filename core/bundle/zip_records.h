#pragma once

#include "core/base/job_control.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Methods and flags of the zip format.
namespace zip {
    constexpr std::uint16_t Stored = 0, Deflated = 8;
    constexpr std::uint16_t EncryptedFlag = 1, SizesFollowFlag = 8;
    /// Of one archive: several files for each of 16,384 ranks. Each takes some 2 KiB until it is
    /// imported, so more of them may be meant to fill the memory.
    constexpr std::size_t MostMembers = 100'000;
}

/// A member of a zip archive as the header in front of its data describes it (APPNOTE.TXT 4.3.7).
struct ZipRecord
{
    std::string storedName;
    std::uint16_t method = 0;
    bool isEncrypted = false;
    std::uint64_t dataOffset = 0; ///< in the archive
    std::uint64_t storedSize
        = 0; ///< compressed bytes; of the last one of a cut archive: what is there
    std::optional<std::uint64_t>
        size; ///< unpacked bytes; absent where they were not known in front
    std::optional<std::uint32_t> crc; ///< CRC-32 of the unpacked bytes; absent likewise
};

/// Members of an archive whose directory, which stands at the end, is lost: the headers are walked
/// over from the first byte, up to where the next one should be and is not, or up to MostMembers. A
/// member whose size stands behind its data is inflated to find its end; one that is stored so ends
/// the walk. Throws Error if the file cannot be read, and Cancelled.
std::vector<ZipRecord> walkZipRecords(const std::filesystem::path &archive,
                                      const JobControl &control);

} // namespace core
