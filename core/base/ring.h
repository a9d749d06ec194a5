#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace core {

/// A ring of values that one thread fills and another one empties, both in order; the values are
/// used again and again, with the memory that they hold. A mutex and a condition instead of
/// semaphores: those of libstdc++ 12 can miss a wake-up (GCC bug 104928). Nor a std::future a
/// value: the thread would be started anew, or wait for its turn by the same means.
template <class Value, std::size_t Count>
class Ring
{
public:
    /// The filling side: the value to fill next, as soon as there is one; null after stop().
    Value *waitForRoom()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isStopped || m_filled - m_emptied < Count; });
        return m_isStopped ? nullptr : &m_values[m_filled % Count];
    }

    /// The filling side: hands over the value that waitForRoom() gave.
    void push()
    {
        change([this] { ++m_filled; });
    }

    /// The filling side: waits until all that was handed over has been given back, or for stop().
    void waitUntilEmptied()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isStopped || m_filled == m_emptied; });
    }

    /// The filling side: nothing more comes.
    void close()
    {
        change([this] { m_isClosed = true; });
    }

    /// The emptying side: the oldest value, as soon as there is one; null if nothing more comes.
    Value *waitForValue()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_isClosed || m_filled > m_emptied; });
        return m_filled > m_emptied ? &m_values[m_emptied % Count] : nullptr;
    }

    /// The emptying side: gives back the value that waitForValue() gave.
    void pop()
    {
        change([this] { ++m_emptied; });
    }

    /// The emptying side: takes nothing more.
    void stop()
    {
        change([this] { m_isStopped = true; });
    }

private:
    template <class Change>
    void change(Change &&apply)
    {
        {
            const std::lock_guard lock(m_mutex);
            apply();
        }
        m_changed.notify_one(); // the two sides never wait for each other at the same time
    }

    std::array<Value, Count> m_values;
    std::mutex m_mutex; ///< of the rest, and for the memory of the values
    std::condition_variable m_changed;
    std::size_t m_filled = 0, m_emptied = 0; ///< values so far
    bool m_isClosed = false, m_isStopped = false;
};

} // namespace core
