#include "collectors/cupti/buffer_pool.h"

#include <algorithm>
#include <cstdlib>

namespace collectors {

void BufferPool::FreeMemory::operator()(std::uint8_t *memory) const noexcept
{
    std::free(memory);
}

BufferPool::BufferPool(std::size_t mostBytes)
    : m_slots(std::max<std::size_t>(2, mostBytes / BufferBytes))
{
}

std::uint8_t *BufferPool::give() noexcept
{
    for (Slot &slot : m_slots) {
        int expected = Free;
        if (!slot.state.compare_exchange_strong(expected, Given, std::memory_order_acquire))
            continue;
        if (slot.memory == nullptr) {
            slot.memory.reset(static_cast<std::uint8_t *>(std::aligned_alloc(64, BufferBytes)));
            slot.data.store(slot.memory.get(), std::memory_order_release);
        }
        std::uint8_t *memory = slot.memory.get();
        if (memory == nullptr)
            slot.state.store(Free, std::memory_order_release);
        return memory;
    }
    return nullptr;
}

bool BufferPool::take(std::uint8_t *buffer, std::size_t validBytes) noexcept
{
    if (buffer == nullptr)
        return false;
    for (Slot &slot : m_slots) {
        if (slot.data.load(std::memory_order_acquire) != buffer)
            continue;
        if (slot.state.load(std::memory_order_acquire) != Given)
            return false;
        slot.validBytes = std::min(validBytes, BufferBytes);
        slot.order = m_order.fetch_add(1, std::memory_order_relaxed);
        slot.state.store(Taken, std::memory_order_release);
        return true;
    }
    return false;
}

BufferPool::Filled BufferPool::next() noexcept
{
    const Slot *first = nullptr;
    Filled filled;
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        const Slot &slot = m_slots[i];
        if (slot.state.load(std::memory_order_acquire) != Taken
            || (first != nullptr && first->order < slot.order))
            continue;
        first = &slot;
        filled = { i, slot.memory.get(), slot.validBytes };
    }
    return filled;
}

void BufferPool::release(const Filled &filled) noexcept
{
    m_slots[filled.index].state.store(Free, std::memory_order_release);
}

} // namespace collectors
