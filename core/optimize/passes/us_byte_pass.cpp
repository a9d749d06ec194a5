#include "core/optimize/passes/us_byte_pass.h"

#include "core/base/duration_text.h"
#include "core/optimize/passes/schedule_proposals.h"

#include <array>
#include <cstdint>

namespace core {

namespace {

    constexpr PassInfo UsByteInfo { .name = "usbyte",
                                    .title = "US-Byte's blocks",
                                    .hint = "Blocks of unequal size in the order of a search",
                                    .source = "US-Byte (Gao et al., IEEE TPDS 2023)",
                                    .isAnotherSystem = true };

    constexpr std::array<std::uint64_t, 4> UsByteBytes { 1'000'000, 250'000, 500'000,
                                                         4'000'000 }; // the default first

    class UsBytePass : public Pass
    {
    public:
        const PassInfo &info() const override { return UsByteInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return scheduleObstacle(search, "usbyte");
        }

        void run(Search &search) const override
        {
            const Strategy start = search.best();
            for (const std::uint64_t bytes : UsByteBytes)
                proposeSchedule(search, start, { "usbyte", bytes },
                                "US-Byte with blocks of " + bytesText(bytes), EverySize);
        }
    };

} // namespace

std::unique_ptr<const Pass> usBytePass()
{
    return std::make_unique<UsBytePass>();
}

} // namespace core
