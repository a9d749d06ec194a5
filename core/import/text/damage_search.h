#pragma once

#include "core/base/job_control.h"
#include "core/import/text/json_scan.h"

#include <cstddef>
#include <cstdint>

namespace core {

/// Bounds the search for the next whole record after damage in JSON text, which tries every brace
/// as the start of one. Each try may look far ahead, and the next one at the same bytes again, so
/// that a file made of braces would take minutes. Tries look deep and far until they have looked at
/// AmpleBytes in vain, which damage by accident does not reach; from then on only at records of the
/// usual size and nesting. A byte is looked at from each bracket that is open there, so that the
/// work is linear in the file's size.
class DamageSearch
{
public:
    static constexpr std::uint64_t AmpleBytes = 128 * 1024 * 1024;
    static constexpr std::ptrdiff_t AmpleReach = 1024 * 1024;
    static constexpr std::ptrdiff_t ScarceReach = 64 * 1024;
    static constexpr std::uint32_t ScarceDepth = 8;
    /// Places where the key of the list of records is taken for the list's; each may be read up to
    /// the end of the file in vain.
    static constexpr int MaximumListTries = 16;

    /// `control` must outlive it.
    explicit DamageSearch(const JobControl &control)
        : m_control(control)
    {
    }

    bool isScarce() const { return m_lookedBytes >= AmpleBytes; }
    /// Bytes; larger records are not looked for.
    std::ptrdiff_t reach() const { return isScarce() ? ScarceReach : AmpleReach; }
    /// Levels of nesting in a record; deeper ones are not looked for.
    std::uint32_t depth() const { return isScarce() ? ScarceDepth : json::MaximumDepth; }
    /// Bytes that were looked at in vain, in all.
    std::uint64_t lookedBytes() const { return m_lookedBytes; }

    /// After a try in vain that read [begin, stop). Throws Cancelled.
    void addFailedTry(const char *begin, const char *stop)
    {
        constexpr std::uint64_t PollBytes = 1024 * 1024;
        const std::uint64_t polls = m_lookedBytes / PollBytes;
        m_lookedBytes += static_cast<std::uint64_t>(stop - begin);
        if (m_lookedBytes / PollBytes != polls)
            throwIfCancelled(m_control);
    }

private:
    const JobControl &m_control;
    std::uint64_t m_lookedBytes = 0;
};

} // namespace core
