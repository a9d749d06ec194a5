#pragma once

#include "core/project/project_limits.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace core {

/// Follows what still runs while things with an endNs() come by start. Memory is bounded: more than
/// a few times MaxCarried at once are forgotten, and what runs is unknown until they have ended.
template <class T>
class RunningSet
{
public:
    /// `next` begins not before those added so far.
    void add(const T &next, std::int64_t startNs)
    {
        if (m_running.size() == Most)
            makeRoom(startNs);
        m_running.push_back(next);
    }
    /// What ends after `ns`, by start; null where that is unknown or more than MaxCarried. Forgets
    /// the others.
    const std::vector<T> *after(std::int64_t ns)
    {
        removeUntil(ns);
        return ns < m_unknownUntilNs || m_running.size() > MaxCarried ? nullptr : &m_running;
    }

private:
    static constexpr std::size_t Most = 4 * MaxCarried;

    void removeUntil(std::int64_t ns)
    {
        std::erase_if(m_running, [ns](const T &one) { return one.endNs() <= ns; });
    }
    void makeRoom(std::int64_t ns)
    {
        removeUntil(ns);
        if (m_running.size() <= Most / 2)
            return;
        for (const T &one : m_running)
            m_unknownUntilNs = std::max(m_unknownUntilNs, one.endNs());
        m_running.clear();
    }

    std::vector<T> m_running;
    std::int64_t m_unknownUntilNs = std::numeric_limits<std::int64_t>::min();
};

} // namespace core
