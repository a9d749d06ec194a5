#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace collectors {

/// A bounded number of buffers that go from the writing thread to CUPTI and back. give() and
/// take() may come from any thread and never wait; memory is taken when first needed and kept.
class BufferPool
{
public:
    static constexpr std::size_t BufferBytes = std::size_t { 4 } << 20U;

    /// At most `mostBytes`, at least two buffers.
    explicit BufferPool(std::size_t mostBytes);

    /// An empty buffer of BufferBytes, aligned to 64; nullptr if all are in use or there is no
    /// memory.
    std::uint8_t *give() noexcept;
    /// A buffer comes back with `validBytes` of records. False: it is none of ours.
    bool take(std::uint8_t *buffer, std::size_t validBytes) noexcept;

    struct Filled
    {
        std::size_t index = 0;
        std::uint8_t *data = nullptr; ///< nullptr: there is none
        std::size_t validBytes = 0;
    };
    /// For the writing thread: the buffer that came back first. It calls release() after use.
    Filled next() noexcept;
    void release(const Filled &filled) noexcept;

    std::size_t capacity() const { return m_slots.size(); }

private:
    enum State : int { Free, Given, Taken };
    struct FreeMemory
    {
        void operator()(std::uint8_t *memory) const noexcept;
    };
    struct Slot
    {
        std::atomic<int> state { Free };
        std::atomic<std::uint8_t *> data { nullptr }; ///< as memory, for take()
        std::unique_ptr<std::uint8_t, FreeMemory> memory;
        std::size_t validBytes = 0;
        std::uint64_t order = 0;
    };

    std::vector<Slot> m_slots;
    std::atomic<std::uint64_t> m_order { 0 };
};

} // namespace collectors
