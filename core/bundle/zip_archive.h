#pragma once

#include "core/bundle/byte_source.h"
#include "core/bundle/zip_records.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Where a member's record lies in the archive's directory; tells members of one name apart and is
/// found again without walking the directory.
struct ZipPosition
{
    std::uint64_t directoryOffset = 0;
    std::uint64_t number = 0;
};

struct ZipMember
{
    std::string name; ///< safeMemberName() of the stored one; " (2)" and so on if it is taken
    std::uint64_t storedSize = 0; ///< compressed bytes
    ZipPosition position;
    std::optional<std::uint32_t> crc; ///< CRC-32 of the unpacked bytes, as stated
    std::optional<ZipRecord> record; ///< instead of the position, where the directory is lost

    /// Tells the members of one archive apart.
    std::uint64_t place() const { return record ? record->dataOffset : position.directoryOffset; }
};

struct ZipListing
{
    std::vector<ZipMember> members; ///< in archive order
    /// Why the members were found by their own headers, as the directory cannot be read; empty
    /// where it can.
    std::string damage;
};

/// True for the magic bytes of a zip archive.
bool isZip(std::span<const char> head);

/// A stored name as it can be shown and joined to the archive's: valid UTF-8, no control
/// characters, no drive, no "..", not absolute, never empty. It is never used as a path on disk.
std::string safeMemberName(std::string_view stored);

/// Files of the archive (no folders, no hidden files). If the archive was cut, or its directory is
/// damaged, lists members that overlap or more than zip::MostMembers: what can be found without it.
/// Throws Error if that is nothing, and Cancelled.
ZipListing listZip(const std::filesystem::path &archive, const JobControl &control);

/// Streams one member; nothing is written to disk. Each call opens the archive anew, so members can
/// be read from several threads. Throws Error, naming the archive and it, if the member is missing,
/// encrypted or compressed with anything but deflate. Damage, and a member that inflates beyond
/// reason (isInflationBomb), is thrown after every byte before it was given out.
std::unique_ptr<ByteSource> openZipMember(const std::filesystem::path &archive,
                                          const ZipMember &member);

} // namespace core
