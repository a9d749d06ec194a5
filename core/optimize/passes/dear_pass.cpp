#include "core/optimize/passes/dear_pass.h"

#include "core/base/duration_text.h"
#include "core/optimize/passes/schedule_proposals.h"

#include <array>
#include <cstdint>

namespace core {

namespace {

    constexpr PassInfo DearInfo {
        .name = "dear",
        .title = "DeAR's halves",
        .hint = "Reduce-scatter in the backward, all-gather in the forward pass",
        .source = "DeAR (Zhang et al., ICDCS 2023)",
        .isAnotherSystem = true
    };

    constexpr std::array<std::uint64_t, 7> DearBytes {
        26'214'400, 1, 1'048'576, 2'097'152, 4'194'304, 8'388'608, 67'108'864
    }; // the default first

    class DearPass : public Pass
    {
    public:
        const PassInfo &info() const override { return DearInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return scheduleObstacle(search, "dear");
        }

        void run(Search &search) const override
        {
            const Strategy start = search.best();
            for (const std::uint64_t bytes : DearBytes)
                proposeSchedule(search, start, { "dear", bytes },
                                bytes == 1 ? "DeAR, each tensor by itself"
                                           : "DeAR with a buffer of " + bytesText(bytes),
                                EverySize);
        }
    };

} // namespace

std::unique_ptr<const Pass> dearPass()
{
    return std::make_unique<DearPass>();
}

} // namespace core
