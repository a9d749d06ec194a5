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

    bool isWholeRecording() const { return m_isWhole; }
    /// What predicted gains are a part of: "of each 110 ms iteration (replayed; 109 ms measured)",
    /// "of the 110 ms iteration (...)", "of the 110 ms that the recording takes (...)"; without
    /// the bracket where both times read alike.
    std::string ofEach(std::int64_t replayedNs, std::int64_t measuredNs) const;
    /// The same of one: "of the 110 ms iteration (replayed; 109 ms measured)".
    std::string ofThe(std::int64_t replayedNs, std::int64_t measuredNs) const;
    /// What measured means are a part of: "of each 110 ms iteration (measured, mean)", "of the
    /// 110 ms iteration (measured)", "of the 110 ms that the recording takes (measured)".
    std::string ofEachMeasured(std::int64_t meanNs) const;
    /// " per iteration", or nothing where there is one.
    std::string per() const;
    /// "an iteration", "the iteration", "the recorded time".
    std::string one() const;
    /// "the iteration nearest to the median", "the iteration", "the recorded time".
    std::string typical() const;

private:
    std::string ofEach(std::int64_t ns) const;
    std::string ofThe(std::int64_t ns) const;

    bool m_isWhole;
    bool m_isOnly;
};

} // namespace core
