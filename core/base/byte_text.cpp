#include "core/base/byte_text.h"

namespace core {

bool countsUncompressed(std::string_view file)
{
    return file.ends_with(".gz") || file.find(".zip/") != std::string_view::npos;
}

std::string byteText(const SourcePosition &where)
{
    if (!where.offset)
        return {};
    return "byte " + std::to_string(*where.offset)
        + (countsUncompressed(where.file) ? " of the uncompressed data" : "");
}

} // namespace core
