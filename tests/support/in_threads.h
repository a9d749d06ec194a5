#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace tests {

/// Calls work(0), work(1), ... at the same time, each in a thread of its own, and waits for all.
template <class Work>
void inThreads(std::size_t count, const Work &work)
{
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
        threads.emplace_back(work, index);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
}

} // namespace tests
