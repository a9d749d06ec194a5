#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"

#include <iosfwd>

namespace core {

// Parts of the text of `longpole diagnose`. Each has a short form, and a long one with `all`.

/// Breakdown of each rank's devices in its compared iterations. Exposed communication is transfer
/// and waiting, where they are told apart.
void printDevices(const Trace &trace, const Diagnosis &diagnosis, const IterationWords &words,
                  bool all, std::ostream &out);

/// Over the same iterations.
void printOperations(const LongestOperations &operations, const IterationWords &words, bool all,
                     std::ostream &out);

void printCriticalPath(const Diagnosis &diagnosis, const IterationWords &words, bool all,
                       std::ostream &out);

/// A table of the kinds of iterations that repeat, and of the operations that tell them apart.
void printKinds(const PeriodReport &period, std::ostream &out);

void printNearCritical(const NearCriticalReport &near, std::ostream &out);

} // namespace core
