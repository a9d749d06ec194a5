#include "collectors/format/signal_guard.h"

#include "collectors/format/errno_guard.h"

#include <time.h>

namespace collectors {

SignalGuard::SignalGuard(int signal) noexcept
    : m_signal(signal)
{
    const ErrnoGuard errnoGuard;
    sigemptyset(&m_only);
    sigaddset(&m_only, signal);
    m_wasPending = isPending();
    pthread_sigmask(SIG_BLOCK, &m_only, &m_before);
}

SignalGuard::~SignalGuard()
{
    const ErrnoGuard errnoGuard;
    if (!m_wasPending && isPending()) {
        const timespec atOnce {};
        sigtimedwait(&m_only, nullptr, &atOnce);
    }
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

bool SignalGuard::isPending() const noexcept
{
    sigset_t pending;
    sigemptyset(&pending);
    return sigpending(&pending) == 0 && sigismember(&pending, m_signal) == 1;
}

} // namespace collectors
