#include "core/blocks/block.h"

#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"

#include <cstddef>

namespace core {

namespace {

    /// The longest beginning of a name, with an ellipsis, that fits with what follows; empty where
    /// that is less than a few characters.
    std::string cutName(const std::string &name, const std::string &behind, double width,
                        const std::function<double(const std::string &)> &widthOf)
    {
        constexpr std::size_t Fewest = 3;
        for (std::size_t end = name.size(); end-- > Fewest;) {
            if ((static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U)
                continue; // within a character
            std::string cut = name.substr(0, end) + "\u2026" + behind;
            if (widthOf(cut) <= width)
                return cut;
        }
        return {};
    }

} // namespace

std::string titleOf(const Block &block)
{
    std::string title = shortenedName(block.name);
    if (block.bytes > 0)
        title += " " + bytesText(block.bytes);
    return block.detail.empty() ? title : title + " " + shortenedName(block.detail);
}

std::string titleWithin(const Block &block, double width,
                        const std::function<double(const std::string &)> &widthOf)
{
    const std::string name = shortenedName(block.name);
    const std::string size = block.bytes > 0 ? " " + bytesText(block.bytes) : std::string();
    for (const std::string &whole : { titleOf(block), name + size })
        if (widthOf(whole) <= width)
            return whole;
    if (std::string cut = cutName(name, size, width, widthOf); !cut.empty() || size.empty())
        return cut;
    std::string alone = bytesText(block.bytes);
    return widthOf(alone) <= width ? alone : std::string();
}

} // namespace core
