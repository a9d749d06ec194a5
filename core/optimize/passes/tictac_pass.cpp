#include "core/optimize/passes/tictac_pass.h"

#include "core/optimize/passes/schedule_proposals.h"

namespace core {

namespace {

    constexpr PassInfo TicTacInfo { .name = "tictac",
                                    .title = "TicTac's orders",
                                    .hint = "Whole tensors by what operations need of them",
                                    .source = "TicTac (Hashemi et al., MLSys 2019)",
                                    .isAnotherSystem = true };

    class TicTacPass : public Pass
    {
    public:
        const PassInfo &info() const override { return TicTacInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            return scheduleObstacle(search, "tac");
        }

        void run(Search &search) const override
        {
            const Strategy start = search.best();
            proposeSchedule(search, start, { "tic" }, "TicTac's TIC",
                            "the order that no times are needed for");
            proposeSchedule(search, start, { "tac" }, "TicTac's TAC",
                            "the order by needs and times");
        }
    };

} // namespace

std::unique_ptr<const Pass> ticTacPass()
{
    return std::make_unique<TicTacPass>();
}

} // namespace core
