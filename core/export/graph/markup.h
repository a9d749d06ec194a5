#pragma once

#include <string>

namespace core {

/// A text within XML: marks are escaped; characters that XML does not take, and bytes that are not
/// UTF-8, become question marks.
std::string markupText(const std::string &text);

} // namespace core
