#pragma once

#include "core/bundle/byte_source.h"

#include <memory>
#include <string>
#include <vector>

namespace core {

/// The contents of a gzip file of one or more members, inflated while it is read.
///
/// Damage (a cut file, a wrong checksum) is thrown as Error only after every byte before it was
/// given out; the error's offset counts inflated bytes.
class GzipSource : public ByteSource
{
public:
    /// `name` is what errors call the file.
    GzipSource(std::unique_ptr<ByteSource> stored, std::string name);
    ~GzipSource() override;

    std::size_t read(std::span<char> buffer) override;
    double progress() const override { return m_stored->progress(); }

private:
    struct Inflater;

    bool fillInput();
    bool startNextMember();
    void inflateInto(std::span<char> buffer, std::size_t &given);
    [[noreturn]] void fail(const std::string &what) const;

    std::unique_ptr<ByteSource> m_stored;
    std::string m_name;
    std::vector<char> m_input;
    std::unique_ptr<Inflater> m_inflater;
    std::uint64_t m_given = 0; ///< inflated bytes handed out
    std::uint64_t m_consumed = 0; ///< stored bytes taken from m_stored
    std::string m_failure; ///< set when damage was met; thrown by the next read
    bool m_isInMember = true;
    bool m_isAtEnd = false;
};

/// True for the two magic bytes of gzip.
bool isGzip(std::span<const char> head);

} // namespace core
