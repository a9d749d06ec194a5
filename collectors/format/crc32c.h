#pragma once

#include <cstddef>
#include <cstdint>

namespace collectors {

/// CRC-32C (Castagnoli polynomial, RFC 3720 appendix B.4) of `size` bytes.
std::uint32_t crc32c(const void *data, std::size_t size) noexcept;

} // namespace collectors
