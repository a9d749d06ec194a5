#pragma once

#include "core/base/error.h"

#include <string>

namespace core {

/// "byte 12", "byte 12 of the uncompressed data" where the file's name says that it is compressed;
/// empty without an offset.
std::string byteText(const SourcePosition &where);

} // namespace core
