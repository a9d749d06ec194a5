#pragma once

#include "core/project/read/project_reader.h"

#include <filesystem>
#include <string>

// Projects as older versions of the program wrote them.

namespace tests {

std::filesystem::path schemaOfVersion(int version);
std::string readBytes(const std::filesystem::path &path);
/// One rank with one thread of three slices.
void writeVersion(int version, const std::filesystem::path &path);
/// That it is what writeVersion() wrote.
void checkContent(const core::ProjectReader &reader);

} // namespace tests
