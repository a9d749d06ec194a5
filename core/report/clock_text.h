#pragma once

#include "core/project/read/project_reader.h"

#include <string>

namespace core {

/// How far the clocks may be apart, also as a part of an iteration; where not all of them were
/// solved, of those that were. Empty where none is unsure.
std::string clockSentence(const ProjectInfo &info);

} // namespace core
