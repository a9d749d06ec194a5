#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace core {

/// Stored bytes, read once from front to back. Private to core/bundle: a file, a member of an
/// archive, or either of them seen through gzip.
class ByteSource
{
public:
    virtual ~ByteSource() = default;

    /// Fills the buffer with the next bytes and returns how many; 0 at the end. Throws Error.
    virtual std::size_t read(std::span<char> buffer) = 0;
    /// How much of the stored bytes has been consumed, 0..1.
    virtual double progress() const = 0;
};

} // namespace core
