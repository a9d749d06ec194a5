#pragma once

#include "core/base/async_work.h"
#include "core/base/job_control.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <thread>
#include <vector>

namespace core {

/// Calls function(i, control) for each i below `count`, by as many threads as the processor runs at
/// once; this one is among them, and it alone asks `control`. Results that are kept by index do not
/// depend on the number of threads. Throws the first exception of any, Cancelled among them.
template <class Function>
void sideBySide(std::size_t count, const JobControl &control, const Function &function)
{
    std::atomic<std::size_t> next { 0 };
    std::atomic<bool> isStopped { false };
    std::exception_ptr failure; // written by who stops the others
    const auto work = [&](const JobControl &own) {
        try {
            for (std::size_t i = next++; i < count && !isStopped; i = next++)
                function(i, own);
        } catch (...) {
            if (!isStopped.exchange(true))
                failure = std::current_exception();
        }
    };
    const JobControl ofOthers([&isStopped] { return isStopped.load(); }, {});
    const std::size_t threads
        = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::future<void>> others;
    others.reserve(threads);
    while (others.size() + 1 < threads)
        others.push_back(beginAsync([&work, &ofOthers] { work(ofOthers); }));
    work(control);
    for (std::future<void> &other : others)
        other.get();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace core
