#include "core/import/step_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t BytesPerStepRange = 96; ///< about, in a table

} // namespace

StepRoom::StepRoom(TraceSink &sink, std::string file)
    : m_diagnostics(sink.diagnostics())
    , m_file(std::move(file))
    , m_left(sink.importerBytes() / BytesPerStepRange)
{
}

bool StepRoom::take()
{
    if (m_left > 0) {
        --m_left;
        return true;
    }
    m_diagnostics.count("too-many-steps", Severity::Warning, { m_file, {} },
                        "more steps in one file than the import may hold: those of the further "
                        "ones are not known. Import again with a larger --memory-limit (longpole "
                        "import), or record "
                        "less; if that many never ran, the file is damaged: record again");
    return false;
}

void StepRanges::add(std::int64_t step, TimeRange range)
{
    const auto known = m_steps.find(step);
    if (known != m_steps.end()) {
        known->second.startNs = std::min(known->second.startNs, range.startNs);
        known->second.endNs = std::max(known->second.endNs, range.endNs);
    } else if (m_room->take()) {
        m_steps.emplace(step, range);
    }
}

void StepRanges::deliver(TraceSink &sink, WorkerId worker) const
{
    for (auto step = m_steps.begin(); step != m_steps.end(); ++step) {
        const auto next = std::next(step);
        if (next != m_steps.end() && next->second.startNs <= step->second.startNs)
            return;
    }
    for (auto step = m_steps.begin(); step != m_steps.end(); ++step) {
        const auto next = std::next(step);
        const std::int64_t endNs
            = next == m_steps.end() ? step->second.endNs : next->second.startNs;
        sink.iteration(worker, step->first, { step->second.startNs, endNs });
    }
}

void StepRanges::deliverMarked(TraceSink &sink, WorkerId worker) const
{
    std::vector<std::pair<std::int64_t, TimeRange>> ordered(m_steps.begin(), m_steps.end());
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto &a, const auto &b) {
        return a.second.startNs < b.second.startNs;
    });
    const TimeRange *previous = nullptr;
    for (auto &[number, range] : ordered) {
        if (previous != nullptr)
            range.startNs = std::max(range.startNs, previous->endNs);
        if (range.endNs <= range.startNs)
            continue;
        sink.iteration(worker, number, range);
        previous = &range;
    }
}

} // namespace core
