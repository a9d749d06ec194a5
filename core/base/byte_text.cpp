#include "core/base/byte_text.h"

namespace core {

std::string byteText(const SourcePosition &where)
{
    if (!where.offset)
        return {};
    const bool isCompressed
        = where.file.ends_with(".gz") || where.file.find(".zip/") != std::string::npos;
    return "byte " + std::to_string(*where.offset)
        + (isCompressed ? " of the uncompressed data" : "");
}

} // namespace core
