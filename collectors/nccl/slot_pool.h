#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace collectors {

/// A fixed number of values that several threads create, change and close. A value is named by a
/// number that is never used again, so a stale name is told from a live one whatever the caller
/// does (it may use handles after they were closed). The value with number n lies in slot
/// n mod size: creating takes the place of the oldest, which stays readable until then, or, by
/// createBesideOpen(), of the oldest that was closed.
///
/// One thread at a time holds a value; another one tries for about 50 us, and then gives up, which
/// is counted: it may be a thread of the training job, which must not wait.
template <class Value>
class SlotPool
{
    static_assert(std::is_trivially_copyable_v<Value>);
    static constexpr std::uint64_t Locked = 1, Open = 2, NumberShift = 2;
    static constexpr int MostTries = 2000;

    struct alignas(64) Slot
    {
        std::atomic<std::uint64_t> state { 0 }; ///< number, Open, Locked
        Value value {};
    };

public:
    /// Holds a value until it is destroyed; empty if there is none.
    class Guard
    {
    public:
        Guard() = default;
        Guard(Guard &&other) noexcept
            : m_slot(other.m_slot)
            , m_state(other.m_state)
            , m_wasOpen(other.m_wasOpen)
        {
            other.m_slot = nullptr;
        }
        Guard(const Guard &) = delete;
        Guard &operator=(const Guard &) = delete;
        ~Guard() { release(); }

        explicit operator bool() const { return m_slot != nullptr; }
        Value &operator*() const { return m_slot->value; }
        Value *operator->() const { return &m_slot->value; }
        std::uint64_t number() const { return m_state >> NumberShift; }
        /// Of a created value: its slot holds one that was never closed.
        bool wasOpen() const { return m_wasOpen; }
        void release() noexcept
        {
            if (m_slot != nullptr)
                m_slot->state.store(m_state, std::memory_order_release);
            m_slot = nullptr;
        }
        /// And nobody can open it any more; find() can.
        void close() noexcept
        {
            m_state &= ~Open;
            release();
        }

    private:
        friend class SlotPool;
        Guard(Slot *slot, std::uint64_t state, bool wasOpen)
            : m_slot(slot)
            , m_state(state)
            , m_wasOpen(wasOpen)
        {
        }

        Slot *m_slot = nullptr;
        std::uint64_t m_state = 0; ///< to be stored
        bool m_wasOpen = false;
    };

    /// `size` is rounded up to a power of two. Throws std::bad_alloc.
    explicit SlotPool(std::size_t size)
        : m_slots(new Slot[std::bit_ceil(size)])
        , m_mask(std::bit_ceil(size) - 1)
    {
    }

    /// The new value has what its slot held before: fill in all of it.
    Guard create() noexcept
    {
        const std::uint64_t number = m_next.fetch_add(1, std::memory_order_relaxed);
        Slot &slot = m_slots[number & m_mask];
        for (int i = 0; i < MostTries; ++i) {
            std::uint64_t state = slot.state.load(std::memory_order_relaxed);
            if ((state & Locked) == 0
                && slot.state.compare_exchange_weak(
                    state, state | Locked, std::memory_order_acquire, std::memory_order_relaxed))
                return { &slot, number << NumberShift | Open, (state & Open) != 0 };
            pause();
        }
        m_givenUp.fetch_add(1, std::memory_order_relaxed);
        return {};
    }
    /// Of these, no open value makes place: empty if all are open, which counts as nothing.
    Guard createBesideOpen() noexcept
    {
        for (std::uint64_t i = 0; i <= m_mask; ++i) {
            const std::uint64_t number = m_next.fetch_add(1, std::memory_order_relaxed);
            Slot &slot = m_slots[number & m_mask];
            std::uint64_t state = slot.state.load(std::memory_order_relaxed);
            if ((state & (Locked | Open)) == 0
                && slot.state.compare_exchange_strong(
                    state, state | Locked, std::memory_order_acquire, std::memory_order_relaxed))
                return { &slot, number << NumberShift | Open, false };
        }
        return {};
    }
    /// Of a number that was created and not closed.
    Guard open(std::uint64_t number) noexcept { return find(number, true); }
    /// Slots that ever had a value are the first ones.
    std::size_t usedPlaces() const noexcept { return std::min<std::uint64_t>(next(), m_mask + 1); }
    /// Of whatever number lies in that slot.
    Guard openAt(std::size_t place) noexcept
    {
        return open(m_slots[place].state.load(std::memory_order_relaxed) >> NumberShift);
    }
    /// Whether closed or not, as long as its slot was not taken.
    Guard find(std::uint64_t number) noexcept { return find(number, false); }
    bool isOpen(std::uint64_t number) const noexcept
    {
        const std::uint64_t state = m_slots[number & m_mask].state.load(std::memory_order_relaxed);
        return state >> NumberShift == number && (state & Open) != 0;
    }
    /// Whether a number before next() will never be open again. Not so while it is being created:
    /// one look at the state tells both, as it may have been created before a second one.
    bool isPast(std::uint64_t number) const noexcept
    {
        const std::uint64_t state = m_slots[number & m_mask].state.load(std::memory_order_relaxed);
        const std::uint64_t found = state >> NumberShift;
        return found > number || (found == number && (state & Open) == 0);
    }

    /// Numbers from oldest() to before next() may be open.
    std::uint64_t next() const noexcept { return m_next.load(std::memory_order_relaxed); }
    std::uint64_t oldest() const noexcept
    {
        const std::uint64_t next = this->next();
        return next > m_mask + 1 ? next - (m_mask + 1) : 1;
    }
    /// How often a thread gave up since the last call.
    std::uint64_t takeGivenUp() noexcept
    {
        return m_givenUp.exchange(0, std::memory_order_relaxed);
    }

private:
    Guard find(std::uint64_t number, bool mustBeOpen) noexcept
    {
        Slot &slot = m_slots[number & m_mask];
        if (number == 0) // of a handle of something else
            return {};
        for (int i = 0; i < MostTries; ++i) {
            std::uint64_t state = slot.state.load(std::memory_order_relaxed);
            if (state >> NumberShift != number || (mustBeOpen && (state & Open) == 0))
                return {};
            if ((state & Locked) == 0
                && slot.state.compare_exchange_weak(
                    state, state | Locked, std::memory_order_acquire, std::memory_order_relaxed))
                return { &slot, state, false };
            pause();
        }
        m_givenUp.fetch_add(1, std::memory_order_relaxed);
        return {};
    }
    static void pause() noexcept
    {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

    std::unique_ptr<Slot[]> m_slots;
    std::uint64_t m_mask;
    alignas(64) std::atomic<std::uint64_t> m_next { 1 };
    alignas(64) std::atomic<std::uint64_t> m_givenUp { 0 };
};

} // namespace collectors
