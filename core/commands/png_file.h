#pragma once

#include <filesystem>
#include <string>

namespace core {

/// Writes an SVG picture as PNG, by `longpole-ui --render`: the program beside this one draws.
/// Throws Error where it is not there, or fails.
void writePng(const std::filesystem::path &file, const std::string &svg);

} // namespace core
