#pragma once

#include <string>

namespace core {

/// An op's name for a line of text, without autograd's wrapper around all that runs backward, cut
/// where it is long, never inside a character (UTF-8: bytes 10xxxxxx continue one).
std::string shortenedName(const std::string &fullName);

} // namespace core
