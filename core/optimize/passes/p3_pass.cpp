#include "core/optimize/passes/p3_pass.h"

#include "core/base/duration_text.h"
#include "core/optimize/passes/schedule_proposals.h"

#include <array>
#include <cstdint>

namespace core {

namespace {

    constexpr PassInfo P3Info { .name = "p3",
                                .title = "P3's partitions",
                                .hint
                                = "Partitions by priority: what the next forward pass needs first",
                                .source = "P3 (Jayarajan et al., MLSys 2019)",
                                .isAnotherSystem = true };

    constexpr std::array<std::uint64_t, 8> P3Bytes {
        200'000, 65'536, 131'072, 524'288, 1'048'576, 2'097'152, 4'194'304, 8'388'608
    }; // the default first

    class P3Pass : public Pass
    {
    public:
        const PassInfo &info() const override { return P3Info; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return scheduleObstacle(search, "p3");
        }

        void run(Search &search) const override
        {
            const Strategy start = search.best();
            for (const std::uint64_t bytes : P3Bytes)
                proposeSchedule(search, start, { "p3", bytes },
                                "P3 with partitions of " + bytesText(bytes), EverySize);
        }
    };

} // namespace

std::unique_ptr<const Pass> p3Pass()
{
    return std::make_unique<P3Pass>();
}

} // namespace core
