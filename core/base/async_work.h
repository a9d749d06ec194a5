#pragma once

#include <future>
#include <system_error>

namespace core {

/// Begins `work` on a thread of its own; where the system gives no more threads, it is done by the
/// one that asks for the result. `work` is copied.
template <class Work>
auto beginAsync(const Work &work)
{
    try {
        return std::async(std::launch::async, work);
    } catch (const std::system_error &) {
        return std::async(std::launch::deferred, work);
    }
}

} // namespace core
