#pragma once

#include <string_view>

namespace collectors {

/// One line on stderr, after "longpole: "; nothing where LONGPOLE_QUIET is set (to anything but 0).
/// From any thread.
void say(std::string_view line) noexcept;

} // namespace collectors
