#pragma once

#include "core/bundle/byte_source.h"
#include "core/bundle/inflater.h"

#include <memory>
#include <string>
#include <vector>

namespace core {

/// The contents of a gzip file of one or more members of any size, inflated while it is read.
///
/// Damage (a cut file, a wrong checksum) is thrown as Error only after every byte before it was
/// given out; the error's offset counts inflated bytes. A file that inflates beyond reason
/// (isInflationBomb) is stopped in the same way.
class GzipSource : public ByteSource
{
public:
    /// `name` is what errors call the file.
    GzipSource(std::unique_ptr<ByteSource> stored, std::string name);

    std::size_t read(std::span<char> buffer) override;
    double progress() const override { return m_stored->progress(); }

private:
    bool fillInput();
    bool startNextMember();
    void inflateInto(std::span<char> buffer, std::size_t &given);
    std::uint64_t takenBytes() const { return m_consumed - m_inflater.input().size(); }

    std::unique_ptr<ByteSource> m_stored;
    std::string m_name;
    std::vector<char> m_input;
    Inflater m_inflater { Inflater::Format::Gzip };
    std::uint64_t m_given = 0; ///< inflated bytes handed out
    std::uint64_t m_consumed = 0; ///< stored bytes taken from m_stored
    std::string m_failure; ///< set when damage was met; thrown by the next read
    bool m_isInMember = true;
    bool m_isAtEnd = false;
};

/// True for the two magic bytes of gzip.
bool isGzip(std::span<const char> head);

} // namespace core
