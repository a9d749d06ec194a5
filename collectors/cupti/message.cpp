#include "collectors/cupti/message.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace collectors {

void say(std::string_view line) noexcept
{
    constexpr std::string_view Prefix = "longpole: ";
    const char *quiet = std::getenv("LONGPOLE_QUIET");
    if (quiet != nullptr && *quiet != '\0' && std::strcmp(quiet, "0") != 0)
        return;
    // One write, so that lines of several processes do not mix.
    std::array<char, 1024> text {};
    const std::size_t room = text.size() - Prefix.size() - 1;
    line = line.substr(0, room);
    std::copy(Prefix.begin(), Prefix.end(), text.begin());
    std::copy(line.begin(), line.end(), text.begin() + Prefix.size());
    text[Prefix.size() + line.size()] = '\n';
    const ssize_t written = ::write(STDERR_FILENO, text.data(), Prefix.size() + line.size() + 1);
    static_cast<void>(written); // there is nobody else to tell
}

} // namespace collectors
