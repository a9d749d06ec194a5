#pragma once

#include <string>
#include <string_view>

namespace core {

/// The contents of a JSON string (without its quotes) as valid UTF-8: escapes are undone, bytes
/// that are no UTF-8 become U+FFFD, control characters become spaces.
std::string cleanString(std::string_view escaped);

/// The same without a copy where there is nothing to clean; else a view of `buffer`.
std::string_view cleanView(std::string_view escaped, std::string &buffer);

bool isUtf8(std::string_view text);

/// Plain text or JSON text as valid UTF-8, which a strict parser accepts: bytes that are no UTF-8
/// become U+FFFD, control characters (line breaks included) become spaces.
std::string cleanText(std::string_view text);

} // namespace core
