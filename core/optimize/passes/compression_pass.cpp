#include "core/optimize/passes/compression_pass.h"

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
            return search.obstacle("compression");
        }

        void run(Search &search) const override
        {
            search.propose(Search::with(search.best(), { { "compression", 2.0 } }),
                           (search.bestText().empty() ? "" : search.bestText() + ", ")
                               + "gradients in half precision",
                           "half of the bytes on the link");
        }
    };

} // namespace

std::unique_ptr<const Pass> compressionPass()
{
    return std::make_unique<CompressionPass>();
}

} // namespace core
