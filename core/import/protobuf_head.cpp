#include "core/import/protobuf_head.h"

#include "core/base/error.h"
#include "core/import/importer.h"

namespace core {

std::optional<std::uint64_t> takeVarint(std::string_view &text)
{
    constexpr std::size_t Longest = 10;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < text.size() && i < Longest; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7U * i);
        if (byte < 0x80) {
            text.remove_prefix(i + 1);
            return value;
        }
    }
    return std::nullopt;
}

std::string readHead(BundleEntry &entry)
{
    std::string head(Importer::HeadSize, '\0');
    std::size_t size = 0;
    while (const std::size_t count = entry.read({ head.data() + size, head.size() - size }))
        size += count;
    head.resize(size);
    return head;
}

std::unique_ptr<BundleEntry> openAgain(const BundleEntry &entry)
{
    auto again = entry.openOther("");
    if (again == nullptr)
        throw Error("the file cannot be opened a second time, which its format needs: its names "
                    "stand behind what they name",
                    { entry.name(), std::nullopt });
    return again;
}

} // namespace core
