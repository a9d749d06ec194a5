#include "core/bundle/read_ahead_source.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
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
        std::size_t size = 0; ///< 0: the end, or `error`
        double progress = 0;
        std::exception_ptr error;
    };

} // namespace

/// A ring of blocks that one thread fills and another one empties: no value can be handed over once
/// and for all, as both run until the file ends. A mutex and a condition instead of semaphores:
/// those of libstdc++ 12 can miss a wake-up (GCC bug 104928). Nor a std::future a block: the thread
/// would be started anew, or wait for its turn by the same means.
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
        {
            const std::lock_guard lock(m_mutex);
            m_isStopped = true;
        }
        m_changed.notify_one();
        m_thread.join();
    }

    std::size_t read(std::span<char> buffer)
    {
        std::size_t given = 0;
        while (given < buffer.size()) {
            waitForBlock();
            const Block &block = m_blocks[m_taken % BlockCount];
            m_progress = block.progress;
            if (block.size == 0) { // stays in the ring: every later read ends here as well
                if (given == 0 && block.error)
                    std::rethrow_exception(block.error);
                break;
            }
            const std::size_t count = std::min(buffer.size() - given, block.size - m_position);
            std::memcpy(buffer.data() + given, block.bytes.data() + m_position, count);
            given += count;
            m_position += count;
            if (m_position == block.size)
                giveBack();
        }
        return given;
    }

    double progress() const { return m_progress; }

private:
    void waitForBlock()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_filled > m_taken; });
    }

    void giveBack()
    {
        m_position = 0;
        {
            const std::lock_guard lock(m_mutex);
            ++m_taken;
        }
        m_changed.notify_one();
    }

    /// False if the reading side is gone.
    bool waitForRoom()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isStopped || m_filled - m_taken < BlockCount; });
        return !m_isStopped;
    }

    void fillBlocks()
    {
        bool isAtEnd = false;
        while (!isAtEnd && waitForRoom()) {
            // Only this thread changes m_filled, and the reading side leaves this block alone.
            Block &block = m_blocks[m_filled % BlockCount];
            block.size = 0;
            try {
                block.bytes.resize(BlockSize); // may be more than there is memory
                block.size = m_source.read(block.bytes);
            } catch (...) {
                block.error = std::current_exception();
            }
            block.progress = m_source.progress();
            isAtEnd = block.size == 0;
            {
                const std::lock_guard lock(m_mutex);
                ++m_filled;
            }
            m_changed.notify_one();
        }
    }

    ByteSource &m_source;
    std::array<Block, BlockCount> m_blocks;
    std::mutex m_mutex; ///< of the next three, and for the ring's memory
    std::condition_variable m_changed;
    std::size_t m_filled = 0, m_taken = 0; ///< blocks so far
    bool m_isStopped = false;
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
