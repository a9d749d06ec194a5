#include "collectors/cupti/nvtx_handles.h"

#include <array>
#include <atomic>
#include <functional>

namespace collectors {

namespace {

    constexpr std::size_t MostHandles = 100'000, BucketCount = 4096;
    std::array<std::atomic<NamedHandle *>, BucketCount> handleBuckets {};
    std::atomic<std::size_t> handleCount { 0 };

    NamedHandle *findHandle(NamedHandle *first, std::string_view name) noexcept
    {
        while (first != nullptr && first->name != name)
            first = first->next;
        return first;
    }

} // namespace

NamedHandle *namedHandle(std::string_view name) noexcept
{
    auto &bucket = handleBuckets[std::hash<std::string_view>()(name) % BucketCount];
    NamedHandle *first = bucket.load(std::memory_order_acquire);
    if (NamedHandle *known = findHandle(first, name))
        return known;
    if (handleCount.fetch_add(1, std::memory_order_relaxed) >= MostHandles) {
        handleCount.fetch_sub(1, std::memory_order_relaxed);
        return nullptr;
    }
    try {
        // Two threads that register the same name at once may get two handles.
        auto *made = new NamedHandle { std::string(name), first };
        while (!bucket.compare_exchange_weak(made->next, made, std::memory_order_acq_rel,
                                             std::memory_order_acquire)) { }
        return made;
    } catch (...) {
        return nullptr;
    }
}

} // namespace collectors
