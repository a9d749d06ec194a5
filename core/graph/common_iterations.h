#pragma once

#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// The iterations that every worker of the job that has any recorded whole, by their numbers: a
/// rank may have started to record later, or its recording may break off. Without a common number
/// all are kept and paired in order. What is left out is told in `notes`.
std::vector<Iteration> commonIterations(const Trace &trace, std::vector<std::string> &notes);

} // namespace core
