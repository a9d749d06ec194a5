#pragma once

#include <atomic>

namespace collectors {

/// When to record, as liblongpole_cupti.so decides it for the whole process (LONGPOLE_START and its
/// likes, signals, calls). Where that library is not in the process the window is always open.
class SharedWindow
{
public:
    /// Looks for the library that the driver or NVTX has loaded, unless it is known. Reads the
    /// environment.
    void find() noexcept;
    /// From any thread.
    bool isOpen() const noexcept
    {
        const auto ask = m_ask.load(std::memory_order_relaxed);
        return ask == nullptr || ask() != 0; // negative: it records nothing and has no window
    }

private:
    using Ask = int (*)();
    std::atomic<Ask> m_ask { nullptr };
};

} // namespace collectors
