#pragma once

#include <string>
#include <string_view>

namespace core {

/// Whether JSON knows the number or word as it is written: not NaN, 0x1f, 007.
bool isStrictScalar(std::string_view value);

/// In quotes, with those and backslashes escaped.
std::string quotedText(std::string_view text);

/// A JSON object or array as strict JSON text. Numbers and words that JSON does not know (NaN,
/// Infinity, 0x1f, 007) become strings, and so do several of them without a comma between
/// (`foo bar`); backslashes that escape nothing stand for themselves. A comma too many is left out,
/// one that is missing is put in, and so are colons, null for a value that is missing, and brackets
/// that do not close. What is strict stays as it is, spaces included.
std::string strictText(std::string_view json);

} // namespace core
