#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace core {

/// Inflates deflate data (RFC 1951) piece by piece. Private to core/bundle; wraps ISA-L, whose
/// inflation takes about a third of zlib's time (tests/bench/README.md).
class Inflater
{
public:
    enum class Format {
        Gzip, ///< with header and checksum (RFC 1952); both are checked
        Raw ///< bare deflate data, as a zip archive holds them
    };
    enum class Status {
        Going, ///< needs more input or more room
        Ended, ///< the stream is complete; bytes after it are left in the input
        Damaged ///< what() says how; nothing more can be had of this stream
    };

    explicit Inflater(Format format);
    ~Inflater();

    /// Begins the next stream with what is left of the input.
    void restart();
    /// The bytes must stay valid until all are taken.
    void setInput(std::span<const char> input);
    std::span<const char> input() const;
    void skipInput(std::size_t count);
    /// Bytes of the input so far that were taken and not used: what follows raw data that ended.
    std::size_t takenAhead() const;
    /// Fills the front of `room`; `count` is how many bytes were written, also on damage.
    Status inflateInto(std::span<char> room, std::size_t &count);
    /// What is damaged, as words after "the data have".
    const char *what() const { return m_what; }

private:
    struct State;
    std::unique_ptr<State> m_state;
    Format m_format;
    const char *m_what = "";
};

/// Whether so few stored bytes grew to so many that the file was made to fill memory or disk.
/// Traces shrink 13 to 40 times, the most that deflate can do is 1,032 times; the first gibibyte
/// is never held against a file.
bool isInflationBomb(std::uint64_t inflatedBytes, std::uint64_t storedBytes);

/// What is said of such a file.
extern const char *const InflationBombText;

/// The checksum of gzip and zip (CRC-32 of ISO 3309), continued from `crc`; 0 to begin.
std::uint32_t continueCrc32(std::uint32_t crc, std::span<const char> bytes);

} // namespace core
