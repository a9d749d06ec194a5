#include "core/analyze/report/critical_path_entries.h"

#include <algorithm>

namespace core {

namespace {

    const char *partName(PathPart part)
    {
        switch (part) {
        case PathPart::Compute:
            return "compute";
        case PathPart::Communication:
            return "comm";
        case PathPart::Copy:
            return "copy";
        case PathPart::Host:
            return "host";
        case PathPart::Launch:
            return "launch";
        case PathPart::Input:
            return "input";
        case PathPart::Wait:
            return "wait";
        case PathPart::Idle:
            break;
        }
        return "idle";
    }

    /// The rest of the same op: not another one, nor what follows a gap.
    bool continues(const CriticalOp &entry, const CriticalOp &before)
    {
        const bool isSame = before.name == entry.name && before.rank == entry.rank
            && before.device == entry.device && before.kind == entry.kind
            && before.waitsFor == entry.waitsFor;
        const bool isOneSlice
            = before.slice == entry.slice || before.slice == NoSlice || entry.slice == NoSlice;
        return isSame && isOneSlice && before.startNs + before.durationNs == entry.startNs;
    }

} // namespace

void CriticalPathEntries::add(PathPart part, std::int64_t ns)
{
    switch (part) {
    case PathPart::Compute:
        m_report.computeNs += ns;
        break;
    case PathPart::Communication:
        m_report.commNs += ns;
        break;
    case PathPart::Copy:
        m_report.copyNs += ns;
        break;
    case PathPart::Host:
        m_report.hostNs += ns;
        break;
    case PathPart::Launch:
        m_report.launchNs += ns;
        break;
    case PathPart::Input:
        m_report.inputNs += ns;
        break;
    case PathPart::Wait:
        m_report.waitNs += ns;
        break;
    case PathPart::Idle:
        m_report.idleNs += ns;
        break;
    }
}

void CriticalPathEntries::list(CriticalOp entry, PathPart part)
{
    entry.kind = partName(part);
    if (!m_report.ops.empty() && continues(entry, m_report.ops.back()))
        m_report.ops.back().durationNs += entry.durationNs;
    else
        m_report.ops.push_back(std::move(entry));
}

void CriticalPathEntries::listStage(CriticalOp entry, PathPart part, const std::string &stage,
                                    const std::string &tensor)
{
    CriticalStage &sum = m_byStage[stage];
    sum.stage = stage;
    sum.durationNs += entry.durationNs;
    if (entry.durationNs > sum.longestNs) {
        sum.longestNs = entry.durationNs;
        sum.tensor = tensor;
        sum.rank = entry.rank;
    }
    entry.name = stage + ' ' + tensor;
    list(std::move(entry), part);
}

CriticalPathReport CriticalPathEntries::finish()
{
    for (auto &[name, stage] : m_byStage)
        m_report.stages.push_back(std::move(stage));
    std::stable_sort(m_report.stages.begin(), m_report.stages.end(),
                     [](const auto &a, const auto &b) { return a.durationNs > b.durationNs; });
    return std::move(m_report);
}

} // namespace core
