#include "core/analyze/iteration_words.h"

#include "core/base/duration_text.h"
#include "core/model/step_marks.h"

namespace core {

namespace {

    /// " (replayed; 109 ms measured)"; empty where both read alike.
    std::string besideMeasured(std::int64_t replayedNs, std::int64_t measuredNs)
    {
        const std::string measured = durationText(measuredNs);
        return measured == durationText(replayedNs) ? std::string()
                                                    : " (replayed; " + measured + " measured)";
    }

} // namespace

IterationWords::IterationWords(const Trace &trace, std::int32_t iterationCount)
    : m_isWhole(!hasKnownIterations(trace))
    , m_isOnly(iterationCount <= 1)
{
}

std::string IterationWords::ofEach(std::int64_t replayedNs, std::int64_t measuredNs) const
{
    return ofEach(replayedNs) + besideMeasured(replayedNs, measuredNs);
}

std::string IterationWords::ofThe(std::int64_t replayedNs, std::int64_t measuredNs) const
{
    return ofThe(replayedNs) + besideMeasured(replayedNs, measuredNs);
}

std::string IterationWords::ofEachMeasured(std::int64_t meanNs) const
{
    return ofEach(meanNs) + (m_isWhole || m_isOnly ? " (measured)" : " (measured, mean)");
}

std::string IterationWords::ofEach(std::int64_t ns) const
{
    return m_isWhole || m_isOnly ? ofThe(ns) : "of each " + durationText(ns) + " iteration";
}

std::string IterationWords::ofThe(std::int64_t ns) const
{
    return "of the " + durationText(ns) + (m_isWhole ? " that the recording takes" : " iteration");
}

std::string IterationWords::per() const
{
    return m_isWhole || m_isOnly ? "" : " per iteration";
}

std::string IterationWords::one() const
{
    if (m_isWhole)
        return "the recorded time";
    return m_isOnly ? "the iteration" : "an iteration";
}

std::string IterationWords::typical() const
{
    return m_isWhole || m_isOnly ? one() : "the iteration nearest to the median";
}

} // namespace core
