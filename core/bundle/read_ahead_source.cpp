#include "core/bundle/read_ahead_source.h"

#include "core/base/ring.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t BlockSize = std::size_t { 256 } * 1024;
    constexpr std::size_t BlockCount = 4;

    struct Block
    {
        std::vector<char> bytes;
        std::size_t size = 0; ///< of them are filled
        double progress = 0;
    };

} // namespace

class ReadAheadSource::Reader
{
public:
    /// Throws std::system_error if no thread can be started.
    explicit Reader(ByteSource &source)
        : m_source(source)
        , m_thread([this] { fillBlocks(); })
    {
    }

    ~Reader()
    {
        m_blocks.stop();
        m_thread.join();
    }

    std::size_t read(std::span<char> buffer)
    {
        std::size_t given = 0;
        while (given < buffer.size()) {
            const Block *block = m_blocks.waitForValue();
            if (!block) { // every later read ends here as well
                m_progress = m_endProgress;
                if (given == 0 && m_error)
                    std::rethrow_exception(m_error);
                break;
            }
            m_progress = block->progress;
            const std::size_t count = std::min(buffer.size() - given, block->size - m_position);
            std::memcpy(buffer.data() + given, block->bytes.data() + m_position, count);
            given += count;
            m_position += count;
            if (m_position == block->size) {
                m_position = 0;
                m_blocks.pop();
            }
        }
        return given;
    }

    double progress() const { return m_progress; }

private:
    void fillBlocks()
    {
        while (Block *block = m_blocks.waitForRoom()) {
            try {
                block->bytes.resize(BlockSize); // may be more than there is memory
                block->size = m_source.read(block->bytes);
            } catch (...) {
                m_error = std::current_exception();
            }
            block->progress = m_source.progress();
            if (m_error || block->size == 0) {
                m_endProgress = block->progress;
                break;
            }
            m_blocks.push();
        }
        m_blocks.close();
    }

    ByteSource &m_source;
    Ring<Block, BlockCount> m_blocks;
    std::exception_ptr m_error; ///< of the thread until it closes the ring; so the next
    double m_endProgress = 0;
    std::size_t m_position = 0; ///< in the block that is being given out
    double m_progress = 0;
    std::thread m_thread; ///< last: it uses all of the above
};

ReadAheadSource::ReadAheadSource(std::unique_ptr<ByteSource> source)
    : m_source(std::move(source))
{
}

ReadAheadSource::~ReadAheadSource() = default;

std::size_t ReadAheadSource::read(std::span<char> buffer)
{
    if (m_reader)
        return m_reader->read(buffer);
    if (m_given >= BlockSize && m_mayStartThread) {
        startThread();
        return read(buffer);
    }
    const std::size_t count = m_source->read(
        m_mayStartThread ? buffer.first(std::min(buffer.size(), BlockSize - m_given)) : buffer);
    m_given += count;
    return count;
}

void ReadAheadSource::startThread()
{
    m_mayStartThread = false;
    try {
        m_reader = std::make_unique<Reader>(*m_source);
    } catch (const std::system_error &) {
        // The system gives no more threads: the caller goes on reading itself.
    }
}

double ReadAheadSource::progress() const
{
    return m_reader ? m_reader->progress() : m_source->progress();
}

} // namespace core
