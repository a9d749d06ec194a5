#pragma once

#include <cerrno>

namespace collectors {

/// At every entry point that a program's own thread calls: programs read errno after what we are
/// called in between.
class ErrnoGuard
{
public:
    ErrnoGuard() noexcept = default;
    ~ErrnoGuard() { errno = m_saved; }
    ErrnoGuard(const ErrnoGuard &) = delete;
    ErrnoGuard &operator=(const ErrnoGuard &) = delete;

private:
    const int m_saved = errno;
};

} // namespace collectors
