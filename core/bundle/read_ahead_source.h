#pragma once

#include "core/bundle/byte_source.h"

#include <memory>

namespace core {

/// Reads another source ahead on a thread of its own, so that inflating and parsing overlap. At
/// most four blocks of 256 KiB wait to be read. What the source throws is thrown after every byte
/// that came before it. The first block is read by the caller: what is only looked at, and a small
/// file, costs no thread. Where no thread can be started, all of it is.
class ReadAheadSource : public ByteSource
{
public:
    explicit ReadAheadSource(std::unique_ptr<ByteSource> source);
    /// Stops the thread; waits for the block that it is reading.
    ~ReadAheadSource() override;

    std::size_t read(std::span<char> buffer) override;
    /// Of the bytes that were given out.
    double progress() const override;

private:
    class Reader;

    void startThread();

    std::unique_ptr<ByteSource> m_source;
    std::unique_ptr<Reader> m_reader; ///< once the thread runs: only it reads m_source then
    bool m_mayStartThread = true; ///< until that was tried
    std::size_t m_given = 0; ///< before the thread runs
};

} // namespace core
