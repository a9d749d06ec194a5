#include "core/base/error.h"

#include "core/base/byte_text.h"

namespace core {

namespace {

    std::string describe(const std::string &message, const SourcePosition &where)
    {
        if (where.file.empty())
            return message;
        std::string text = where.file;
        if (where.offset)
            text += " (" + byteText(where) + ")";
        return text + ": " + message;
    }

} // namespace

Error::Error(const std::string &message, SourcePosition where)
    : std::runtime_error(describe(message, where))
    , m_where(std::move(where))
    , m_message(message)
{
}

} // namespace core
