#pragma once

#include "core/commands/profile/recording_environment.h"

#include <string>
#include <vector>

namespace core {

/// Runs a program in the foreground, with this process's standard streams, and waits for its end.
/// `words`: its name, looked for in PATH, and its arguments. Returns its exit code, as a shell
/// tells it: 128 + the signal that ended it. While it runs, signals that would end this process go
/// to it instead. Throws Error if it cannot be started.
int runJob(const std::vector<std::string> &words, const Environment &environment);

/// Starts a program and leaves it to itself; false if it cannot be started.
bool startDetached(const std::vector<std::string> &words);

} // namespace core
