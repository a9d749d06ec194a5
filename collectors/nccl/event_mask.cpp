#include "collectors/nccl/event_mask.h"

#include "collectors/nccl/profiler_abi.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace collectors {

namespace {

    constexpr int ApiEvents = abi::GroupApi | abi::CollApi | abi::P2pApi | abi::KernelLaunch;

    constexpr std::array EventNames {
        std::pair<std::string_view, int> { "Coll", abi::Coll | abi::CeColl },
        std::pair<std::string_view, int> { "P2p", abi::P2p },
        std::pair<std::string_view, int> { "ProxyOp", abi::ProxyOp },
        std::pair<std::string_view, int> { "ProxyStep", abi::ProxyStep },
        std::pair<std::string_view, int> { "KernelCh", abi::KernelCh },
        std::pair<std::string_view, int> { "Api", ApiEvents },
    };

    std::optional<int> numberIn(std::string_view text)
    {
        const bool isHex = text.starts_with("0x") || text.starts_with("0X");
        const std::string_view digits = text.substr(isHex ? 2 : 0);
        unsigned number = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                  number, isHex ? 16 : 10);
        if (error != std::errc() || end != digits.data() + digits.size() || number > 0xFFFF)
            return std::nullopt;
        return static_cast<int>(number);
    }

} // namespace

int defaultEventMask()
{
    int mask = 0;
    for (const auto &[name, bits] : EventNames)
        mask |= bits;
    return mask;
}

std::optional<int> eventMask(std::string_view text)
{
    if (const auto number = numberIn(text))
        return number;
    int mask = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const auto *const known
            = std::find_if(EventNames.begin(), EventNames.end(),
                           [name = text.substr(0, end)](const auto &e) { return e.first == name; });
        if (known == EventNames.end())
            return std::nullopt;
        mask |= known->second;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return mask;
}

} // namespace collectors
