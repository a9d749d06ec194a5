#include "core/blocks/block.h"

#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"

namespace core {

std::string titleOf(const Block &block)
{
    std::string title = shortenedName(block.name);
    if (block.bytes > 0)
        title += " " + bytesText(block.bytes);
    return block.detail.empty() ? title : title + " " + shortenedName(block.detail);
}

} // namespace core
