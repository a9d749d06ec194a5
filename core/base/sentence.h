#pragma once

#include <string>

namespace core {

/// A message as a sentence of its own: most are written to follow the name of their file ("is
/// empty"). Names of functions and the like ("torch.profiler wrote ...") keep their small letters.
std::string sentence(const std::string &message);

/// With a capital letter first.
std::string withCapital(std::string text);

/// The first of several: up to a full stop that a space and a capital letter follow.
std::string firstSentence(const std::string &text);

/// To follow a colon: with a small letter first, but of an abbreviation ("NCCL ...").
std::string withoutCapital(std::string text);

} // namespace core
