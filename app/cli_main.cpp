#include "core/base/error.h"
#include "core/base/kept_memory.h"
#include "core/base/nearest_word.h"
#include "core/base/printable_text.h"
#include "core/commands/command.h"
#include "core/commands/text/examples.h"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

volatile std::sig_atomic_t isInterrupted = 0;

void onInterrupt(int)
{
    isInterrupted = 1;
}

/// Makes all that a stream is given printable, for its lifetime.
class PrintableStream
{
public:
    explicit PrintableStream(std::ostream &stream)
        : m_stream(stream)
        , m_raw(*stream.rdbuf())
        , m_printable(m_raw)
    {
        m_stream.rdbuf(&m_printable);
    }
    ~PrintableStream()
    {
        m_stream.flush();
        m_stream.rdbuf(&m_raw);
    }
    PrintableStream(const PrintableStream &) = delete;
    PrintableStream &operator=(const PrintableStream &) = delete;

    std::streambuf &raw() { return m_raw; }

private:
    std::ostream &m_stream;
    std::streambuf &m_raw;
    core::PrintableBuffer m_printable;
};

/// One line of progress on the terminal, redrawn when the percentage changes.
class ProgressLine
{
public:
    ProgressLine(std::streambuf &terminal, bool isShown)
        : m_terminal(&terminal)
        , m_isShown(isShown)
    {
    }
    ~ProgressLine()
    {
        if (m_percent >= 0)
            m_terminal << "\r\033[K" << std::flush;
    }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    void show(double fraction, std::string_view stage)
    {
        const int percent = static_cast<int>(100 * fraction);
        if (!m_isShown || percent == m_percent)
            return;
        m_percent = percent;
        m_terminal << "\r\033[K" << percent << " % " << core::oneLine(stage.substr(0, 60))
                   << std::flush;
    }

private:
    std::ostream m_terminal;
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

/// Where a word that stands for a command is none; empty where it is one.
std::string wrongCommand(const CLI::App &app, const std::string &word)
{
    std::vector<std::string_view> names;
    std::vector<std::string> kept;
    for (const CLI::App *one : app.get_subcommands({}))
        kept.push_back(one->get_name());
    if (std::find(kept.begin(), kept.end(), word) != kept.end())
        return {};
    names.assign(kept.begin(), kept.end());
    const std::string_view nearest = core::nearestWord(word, names);
    std::string text = "longpole: unknown command \"" + word + "\"";
    if (!nearest.empty())
        text += "; did you mean \"" + std::string(nearest) + "\"?";
    return text + (nearest.empty() ? ". " : " ") + "All commands: longpole help\n";
}

/// How the command that was meant is called.
void printExample(const CLI::App &app)
{
    const auto parsed = app.get_subcommands();
    if (parsed.empty())
        return;
    const auto examples = core::commandExamples(parsed.front()->get_name());
    if (!examples.empty())
        std::cerr << "Example: " << examples.front() << "\n";
}

/// Help of the program, where no command is named.
int printHelp(const CLI::App &app, const std::string &command)
{
    const auto isNamed = [&command](const CLI::App *one) { return one->get_name() == command; };
    const auto named = app.get_subcommands(isNamed);
    if (!command.empty() && named.empty()) {
        std::cerr << wrongCommand(app, command);
        return core::WrongUsage;
    }
    std::cout << (command.empty() ? app.get_formatter()->make_help(&app, app.get_name(),
                                                                   CLI::AppFormatMode::Normal)
                                  : named.front()->help(app.get_name()));
    return core::Done;
}

int runCommand(core::Command &command, std::streambuf &terminal, bool isProgressWanted)
{
    ProgressLine progress(terminal, isProgressWanted || isatty(STDERR_FILENO));
    const core::JobControl control(
        [] { return isInterrupted != 0; },
        [&](double fraction, std::string_view stage) { progress.show(fraction, stage); });
    const int code = command.run({ std::cout, std::cerr, control });
    if (!std::cout.flush())
        throw core::Error("cannot write the result to standard output; is the disk full?");
    return code;
}

int runGuarded(core::Command &command, std::streambuf &terminal, bool isProgressWanted)
{
    try {
        return runCommand(command, terminal, isProgressWanted);
    } catch (const core::Cancelled &) {
        std::cerr << "longpole: interrupted; nothing half done is left behind\n";
        return core::Failed;
    } catch (const core::UsageError &error) {
        std::cerr << "longpole " << command.name() << ": " << error.what() << "\n";
        return core::WrongUsage;
    } catch (const std::bad_alloc &) {
        std::cerr << "longpole " << command.name()
                  << ": memory ran out; close other programs, or ask for less\n";
        return core::Failed;
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
    const PrintableStream out(std::cout);
    PrintableStream err(std::cerr);
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
        const std::string notes = sub->get_footer();
        sub->footer(notes + (notes.empty() ? "" : "\n\n") + core::examplesText(command->name()));
        sub->callback([&chosen, one = command.get()] { chosen = one; });
    }
    std::string helpOf;
    CLI::App *const help = app.add_subcommand("help", "Show this help, or that of a command");
    help->add_option("command", helpOf, "Name of a command");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (argc > 1 && argv[1][0] != '-')
            if (const std::string wrong = wrongCommand(app, argv[1]); !wrong.empty()) {
                std::cerr << wrong;
                return core::WrongUsage;
            }
        std::cerr << settingHint(app);
        if (app.exit(error) == 0)
            return core::Done;
        printExample(app);
        return core::WrongUsage;
    }
    if (help->parsed())
        return printHelp(app, helpOf);
    if (!chosen) {
        std::cerr << app.help();
        return core::WrongUsage;
    }
    return runGuarded(*chosen, err.raw(), isProgressWanted);
}
