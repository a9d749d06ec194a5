#pragma once

#include <string>
#include <string_view>

namespace core {

/// A cell of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula gets an
/// apostrophe before it; numbers stay as they are, as "-1" is none.
std::string csvField(std::string_view text, bool isNumber);

} // namespace core
