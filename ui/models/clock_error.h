#pragma once

#include "core/project/project_reader.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace ui {

/// How far the solved clocks may be off at most. What matters is how that compares with an
/// iteration: 100 ms are nothing in ten seconds, and a large part of one.
struct ClockError
{
    std::int64_t ns = 0;
    std::optional<std::int64_t> iterationNs; ///< median of all ranks; absent: none are known

    std::optional<double> share() const; ///< of an iteration
    /// Small beside an iteration, so that the clocks can be said to agree.
    bool isSmall() const;
};

/// Empty with one rank, or where a rank's clock is not known.
std::optional<ClockError> clockError(const core::ProjectInfo &info);

/// "±362 µs"; "±114 ms (8.8 % of an iteration)" where it is not small.
QString clockErrorText(const ClockError &error);
/// A sentence on what the error means; empty where there is none.
QString clockErrorSentence(const ClockError &error);

} // namespace ui
