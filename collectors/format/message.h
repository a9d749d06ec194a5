#pragma once

#include <string_view>

namespace collectors {

/// One line on stderr, after "longpole: "; nothing where LONGPOLE_QUIET is set (to anything but 0).
/// From any thread. A stderr that nobody reads costs 0.1 s at most, and never the process.
void say(std::string_view line, std::string_view more = {}) noexcept;

} // namespace collectors
