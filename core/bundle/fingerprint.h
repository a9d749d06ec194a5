#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace core {

/// Of `sizeBytes` bytes of a file from `offset` on: a hash of their number and of three pieces of
/// them, at the beginning, in the middle and at the end. Two recordings differ in all their times,
/// so pieces tell them apart. Throws Error if the file cannot be read.
std::string fingerprintOf(const std::filesystem::path &file, std::uint64_t offset,
                          std::uint64_t sizeBytes);

/// Of an archive's member, by the CRC-32 that its archive states.
std::string fingerprintOf(std::uint32_t crc);

} // namespace core
