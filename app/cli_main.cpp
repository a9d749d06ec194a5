#include "core/base/error.h"
#include "core/base/kept_memory.h"
#include "core/commands/command.h"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>

namespace {

volatile std::sig_atomic_t isInterrupted = 0;

void onInterrupt(int)
{
    isInterrupted = 1;
}

/// One line of progress on stderr, redrawn when the percentage changes.
class ProgressLine
{
public:
    explicit ProgressLine(bool isShown)
        : m_isShown(isShown)
    {
    }
    ~ProgressLine()
    {
        if (m_percent >= 0)
            std::cerr << "\r\033[K" << std::flush;
    }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    void show(double fraction, std::string_view stage)
    {
        const int percent = static_cast<int>(100 * fraction);
        if (!m_isShown || percent == m_percent)
            return;
        m_percent = percent;
        std::cerr << "\r\033[K" << percent << " % " << stage.substr(0, 60) << std::flush;
    }

private:
    bool m_isShown;
    int m_percent = -1;
};

/// Of words that look like settings and were not expected.
std::string settingHint(const CLI::App &app)
{
    const auto parsed = app.get_subcommands();
    if (parsed.empty() || parsed.front()->get_option_no_throw("--set") == nullptr)
        return {};
    std::string words;
    for (const std::string &word : app.remaining(true))
        if (word.find('=') != std::string::npos && !word.starts_with('-'))
            words += " --set " + word;
    return words.empty() ? words : "Settings come after --set, did you mean" + words + "?\n";
}

int runCommand(core::Command &command, bool isProgressWanted)
{
    ProgressLine progress(isProgressWanted || isatty(STDERR_FILENO));
    const core::JobControl control(
        [] { return isInterrupted != 0; },
        [&](double fraction, std::string_view stage) { progress.show(fraction, stage); });
    const int code = command.run({ std::cout, std::cerr, control });
    if (!std::cout.flush())
        throw core::Error("cannot write the result to standard output; is the disk full?");
    return code;
}

int runGuarded(core::Command &command, bool isProgressWanted)
{
    try {
        return runCommand(command, isProgressWanted);
    } catch (const core::Cancelled &) {
        std::cerr << "longpole: interrupted; nothing half done is left behind\n";
        return core::Failed;
    } catch (const core::UsageError &error) {
        std::cerr << "longpole " << command.name() << ": " << error.what() << "\n";
        return core::WrongUsage;
    } catch (const std::exception &error) {
        std::cerr << "longpole " << command.name() << ": " << error.what() << "\n";
        return core::Failed;
    }
}

} // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): before runGuarded() only out-of-memory throws
int main(int argc, char **argv)
{
    core::keepFreedMemory();
    std::ios::sync_with_stdio(false);
    std::signal(SIGINT, onInterrupt);
    std::signal(SIGTERM, onInterrupt); // batch systems end a job so
    std::signal(SIGXFSZ, SIG_IGN); // beyond `ulimit -f` writing fails then, and that is told
    CLI::App app(
        "Longpole tells why a distributed training job is slow and what would make it faster.",
        "longpole");
    app.set_version_flag("--version", "longpole " LONGPOLE_VERSION);
    app.require_subcommand(0, 1);
    bool isProgressWanted = false;
    app.add_flag("--progress", isProgressWanted,
                 "Show progress on stderr even if it is no terminal");
    app.fallthrough();
    const auto all = core::commands();
    core::Command *chosen = nullptr;
    for (const auto &command : all) {
        CLI::App *sub
            = app.add_subcommand(std::string(command->name()), std::string(command->summary()));
        command->declare(*sub);
        sub->callback([&chosen, one = command.get()] { chosen = one; });
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        std::cerr << settingHint(app);
        return app.exit(error) == 0 ? core::Done : core::WrongUsage;
    }
    if (!chosen) {
        std::cerr << app.help();
        return core::WrongUsage;
    }
    return runGuarded(*chosen, isProgressWanted);
}
