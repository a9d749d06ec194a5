#pragma once

#include "core/bundle/byte_source.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace core {

struct ZipMember
{
    std::string name; ///< as stored; only ever used to show and to find it again
    std::uint64_t storedSize = 0; ///< compressed bytes
};

/// True for the magic bytes of a zip archive.
bool isZip(std::span<const char> head);

/// Files of the archive (no folders, no hidden files) in archive order. Throws Error if the archive
/// is damaged.
std::vector<ZipMember> listZip(const std::filesystem::path &archive);

/// Streams one member; nothing is written to disk. Each call opens the archive anew, so members can
/// be read from several threads. Throws Error if the member is missing, encrypted or damaged.
std::unique_ptr<ByteSource> openZipMember(const std::filesystem::path &archive,
                                          const std::string &member);

} // namespace core
