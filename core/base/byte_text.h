#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace core {

/// Whether places in it count uncompressed bytes: its name says that it is compressed, or that it
/// is in an archive.
bool countsUncompressed(std::string_view file);

/// "byte 12", "byte 12 of the uncompressed data" where the file's name says that it is compressed;
/// empty without an offset.
std::string byteText(const SourcePosition &where);

} // namespace core
