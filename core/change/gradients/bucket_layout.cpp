#include "core/change/gradients/bucket_layout.h"

namespace core {

std::vector<std::size_t> bucketLayout(const std::vector<std::uint64_t> &parameterBytes,
                                      std::uint64_t firstBytes, std::uint64_t capBytes)
{
    std::vector<std::size_t> layout;
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (const std::uint64_t parameter : parameterBytes) {
        ++count;
        bytes += parameter;
        if (bytes >= (layout.empty() ? firstBytes : capBytes)) {
            layout.push_back(count);
            count = 0;
            bytes = 0;
        }
    }
    if (count > 0)
        layout.push_back(count);
    return layout;
}

} // namespace core
