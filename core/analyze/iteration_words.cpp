#include "core/analyze/iteration_words.h"

#include "core/base/duration_text.h"
#include "core/model/step_marks.h"

namespace core {

IterationWords::IterationWords(const Trace &trace, std::int32_t iterationCount)
    : m_isWhole(!hasKnownIterations(trace))
    , m_isOnly(iterationCount <= 1)
{
}

std::string IterationWords::ofEach(std::int64_t iterationNs) const
{
    return m_isWhole || m_isOnly ? ofThe(iterationNs)
                                 : "of each " + durationText(iterationNs) + " iteration";
}

std::string IterationWords::ofThe(std::int64_t iterationNs) const
{
    return "of the " + durationText(iterationNs)
        + (m_isWhole ? " that the replayed recording takes" : " iteration");
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
