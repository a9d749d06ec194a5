#pragma once

#include "core/analyze/diagnosis.h"

#include <cstdint>
#include <map>
#include <string>

namespace core {

/// What a part of the critical path is spent on.
enum class PathPart { Compute, Communication, Copy, Host, Launch, Input, Wait, Idle };

/// Adds up a CriticalPathReport from what is on the path, in order of time.
class CriticalPathEntries
{
public:
    /// isListing: also what is on the path, not only how long.
    explicit CriticalPathEntries(bool isListing)
        : m_isListing(isListing)
    {
    }

    bool isListing() const { return m_isListing; }
    void add(PathPart part, std::int64_t ns);
    /// Of idle time: nothing is recorded of the rank's host.
    void addUnrecorded(std::int64_t ns) { m_report.unrecordedNs += ns; }
    /// Merges the entry with the one before if they are alike.
    void list(CriticalOp entry, PathPart part);
    /// An entry that is `stage` of the communication of `tensor`.
    void listStage(CriticalOp entry, PathPart part, const std::string &stage,
                   const std::string &tensor);

    CriticalPathReport finish();

private:
    bool m_isListing;
    CriticalPathReport m_report;
    std::map<std::string, CriticalStage> m_byStage;
};

} // namespace core
