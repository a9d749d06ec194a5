#include "core/base/shortened_name.h"

#include <cstddef>
#include <string_view>

namespace core {

std::string shortenedName(const std::string &fullName)
{
    constexpr std::string_view Wrapper = "autograd::engine::evaluate_function: ";
    constexpr std::size_t LongestName = 80; // bytes; kernels have longer ones
    std::string name = fullName.starts_with(Wrapper) ? fullName.substr(Wrapper.size()) : fullName;
    if (name.size() <= LongestName)
        return name;
    std::size_t end = LongestName;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U)
        --end;
    return name.substr(0, end) + "...";
}

} // namespace core
