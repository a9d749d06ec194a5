#pragma once

#include <pthread.h>

namespace collectors {

/// Has a function called when a thread ends that has set a value. A process may have no key left;
/// one that could not be made has no number of its own, and setting it would overwrite what the
/// program keeps under key 0.
class ThreadKey
{
public:
    explicit ThreadKey(void (*atEnd)(void *)) noexcept
        : m_isMade(pthread_key_create(&m_key, atEnd) == 0)
    {
    }
    ThreadKey(const ThreadKey &) = delete; // kept to the end of the process: threads run till then
    ThreadKey &operator=(const ThreadKey &) = delete;

    bool isMade() const noexcept { return m_isMade; }
    /// For the calling thread. False: `atEnd` will not be called.
    bool set(void *value) const noexcept
    {
        return m_isMade && pthread_setspecific(m_key, value) == 0;
    }

private:
    pthread_key_t m_key; ///< without an initialiser: the one below makes it
    bool m_isMade;
};

} // namespace collectors
