#include "core/optimize/passes/compression_pass.h"

#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/passes/bucket_cap_pass.h"
#include "core/optimize/search.h"

namespace core {

namespace {

    constexpr PassInfo CompressionInfo { .name = "compression",
                                         .title = "Half precision for what is sent",
                                         .hint = "Gradients are sent in 16 bits",
                                         .source = "PyTorch's fp16_compress_hook",
                                         .numerics = Numerics::Reduced };

    class CompressionPass : public Pass
    {
    public:
        const PassInfo &info() const override { return CompressionInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            if (auto obstacle = search.obstacle("compression"))
                return obstacle;
            const Graph &graph = search.predictor().job().graph;
            constexpr double LeastShare = 0.75; // of gradients' bytes
            if (!graph.gradientSteps.empty()
                && sentShare(graph, wholeIterations(graph)) < LeastShare)
                return "The job already sends its gradients in fewer bytes.";
            return std::nullopt;
        }

        void run(Search &search) const override
        {
            constexpr const char *Text = "gradients in half precision";
            const Strategy halved = Search::with(search.best(), { { "compression", 2.0 } });
            search.propose(halved,
                           (search.bestText().empty() ? "" : search.bestText() + ", ") + Text,
                           "half of the bytes on the link");
            if (!search.obstacle("bucket_cap_mb")) // other buckets may fit fewer bytes
                proposeBucketSizes(search, halved, std::string(", ") + Text);
        }
    };

} // namespace

std::unique_ptr<const Pass> compressionPass()
{
    return std::make_unique<CompressionPass>();
}

} // namespace core
