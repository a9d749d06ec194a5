#include "collectors/format/message.h"

#include "collectors/format/errno_guard.h"
#include "collectors/format/signal_guard.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace collectors {

namespace {

    bool isQuiet() noexcept
    {
        const char *quiet = std::getenv("LONGPOLE_QUIET");
        return quiet != nullptr && *quiet != '\0' && std::strcmp(quiet, "0") != 0;
    }

    /// Whether writing will not wait: a pipe that nobody empties stops its writer.
    bool takesText(int descriptor) noexcept
    {
        constexpr int LongestMs = 100;
        pollfd wanted { descriptor, POLLOUT, 0 };
        return poll(&wanted, 1, LongestMs) != 0; // where it fails, write() will say so
    }

} // namespace

void say(std::string_view line, std::string_view more) noexcept
{
    const ErrnoGuard errnoGuard;
    if (isQuiet())
        return;
    // One write, so that lines of several processes do not mix.
    std::array<char, 1024> text {};
    std::size_t used = 0;
    for (const std::string_view part : { std::string_view("longpole: "), line, more }) {
        const std::size_t size = std::min(part.size(), text.size() - 1 - used);
        std::copy_n(part.begin(), size, text.begin() + static_cast<std::ptrdiff_t>(used));
        used += size;
    }
    text[used++] = '\n';
    const SignalGuard signalGuard(SIGPIPE); // whoever read stderr may be gone
    if (!takesText(STDERR_FILENO))
        return;
    const ssize_t written = ::write(STDERR_FILENO, text.data(), used);
    static_cast<void>(written); // there is nobody else to tell
}

} // namespace collectors
