#include "core/analyze/iteration_words.h"

#include "core/model/step_marks.h"

namespace core {

IterationWords::IterationWords(const Trace &trace, std::int32_t iterationCount)
    : m_isWhole(!hasKnownIterations(trace))
    , m_isOnly(iterationCount <= 1)
    , m_hasPeriod(trace.compared.period != nullptr)
{
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
    if (m_isWhole || m_isOnly)
        return one();
    return m_hasPeriod ? "the iteration nearest to the mean over a period"
                       : "the iteration nearest to the median";
}

} // namespace core
