#pragma once

#include "core/base/job_control.h"

#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace core {

/// Exit codes of the command line contract.
enum ExitCode {
    Done = 0,
    Failed = 1,
    WrongUsage = 2,
    InputSkipped = 3,
    PromiseNotKept = 4, ///< of a comparison: slower, or less than was promised
    Inconclusive = 5 ///< of a comparison
};

/// Where a command writes and how it hears of Ctrl+C. Results go to `out`, messages to `err`.
struct CommandIo
{
    std::ostream &out;
    std::ostream &err;
    const JobControl &control;
};

/// One word of the `longpole` command line.
class Command
{
public:
    virtual ~Command() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view summary() const = 0;
    /// Declares the options; they are stored in this object.
    virtual void declare(CLI::App &app) = 0;
    /// Returns an ExitCode; throws Error.
    virtual int run(const CommandIo &io) = 0;
};

/// All commands, in the order of `longpole --help` (command_list.cpp).
std::vector<std::unique_ptr<Command>> commands();

} // namespace core
