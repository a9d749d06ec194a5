#pragma once

#include <signal.h>

namespace collectors {

/// Keeps a signal that the calling thread's own system calls may raise (SIGPIPE, SIGXFSZ) from
/// ending the process, for as long as this lives: the call fails instead. What the program does
/// with that signal otherwise stays. errno stays, too.
class SignalGuard
{
public:
    explicit SignalGuard(int signal) noexcept;
    ~SignalGuard();
    SignalGuard(const SignalGuard &) = delete;
    SignalGuard &operator=(const SignalGuard &) = delete;

private:
    bool isPending() const noexcept;

    const int m_signal;
    sigset_t m_only {}, m_before {};
    bool m_wasPending = false; ///< before: it is the program's, and comes later
};

} // namespace collectors
