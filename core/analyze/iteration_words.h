#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <string>

namespace core {

/// How texts name the time that a diagnosis is about: several iterations, the only one, or, where
/// nothing tells iterations apart, the whole recording.
class IterationWords
{
public:
    IterationWords(const Trace &trace, std::int32_t iterationCount);

    /// " per iteration", or nothing where there is one.
    std::string per() const;
    /// "an iteration", "the iteration", "the recorded time".
    std::string one() const;
    /// "the iteration nearest to the median" (of several kinds "to the mean over a period"), "the
    /// iteration", "the recorded time".
    std::string typical() const;

private:
    bool m_isWhole;
    bool m_isOnly;
    bool m_hasPeriod;
};

} // namespace core
