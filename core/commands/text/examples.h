#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One or two command lines that show what a command is for, the simplest first. Empty for a word
/// that is no command.
std::vector<std::string_view> commandExamples(std::string_view command);

/// "Examples:\n  longpole info job.longpole", as the end of a help text; empty for a word that is
/// no command.
std::string examplesText(std::string_view command);

} // namespace core
