#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace core {

/// Writes SVG pictures, one as PNG or several as pages of a PDF, as the file's name says, by
/// `longpole-ui --render`: the program beside this one draws. Throws Error where it is not there,
/// or fails.
void writeDrawn(const std::filesystem::path &file, const std::vector<std::string> &pictures);

} // namespace core
