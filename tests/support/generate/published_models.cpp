#include "tests/support/generate/published_models.h"

#include <cmath>
#include <numeric>

namespace tests {

namespace {

    /// Operations in the time in which one number passes over memory (ours: of a V100's 15.7 TFLOPS
    /// and 900 GB/s, half of which convolutions reach).
    constexpr double WorkOfPassing = 100;

    using Modules = std::vector<PublishedModule>;

    void addDense(Modules &modules, std::uint64_t inputs, std::uint64_t outputs, double positions)
    {
        modules.push_back({ { 4 * inputs * outputs, 4 * outputs },
                            2 * static_cast<double>(inputs * outputs) * positions });
    }

    struct Convolution
    {
        std::uint64_t height, width, inputs, outputs; ///< kernel's size, channels
        std::uint64_t side; ///< of its square result
    };

    double workOf(const Convolution &conv)
    {
        return 2
            * static_cast<double>(conv.height * conv.width * conv.inputs * conv.outputs * conv.side
                                  * conv.side);
    }

    /// A convolution with a bias.
    void addBiased(Modules &modules, const Convolution &conv)
    {
        modules.push_back(
            { { 4 * conv.height * conv.width * conv.inputs * conv.outputs, 4 * conv.outputs },
              workOf(conv) });
    }

    /// A convolution and its batch normalisation, which trains its offset alone, as in the models
    /// of TicTac's Table 1: their bytes and tensors are met so.
    void addNormalized(Modules &modules, const Convolution &conv)
    {
        modules.push_back(
            { { 4 * conv.height * conv.width * conv.inputs * conv.outputs }, workOf(conv) });
        modules.push_back(
            { { 4 * conv.outputs },
              WorkOfPassing * static_cast<double>(conv.outputs * conv.side * conv.side) });
    }

    /// Simonyan and Zisserman, ICLR 2015, table 1, column D.
    PublishedModel vgg16()
    {
        Modules modules;
        std::uint64_t inputs = 3, side = 224;
        const auto block = [&](int convolutions, std::uint64_t outputs) {
            for (int i = 0; i < convolutions; ++i) {
                addBiased(modules, { 3, 3, inputs, outputs, side });
                inputs = outputs;
            }
            side /= 2;
        };
        block(2, 64);
        block(2, 128);
        block(3, 256);
        block(3, 512);
        block(3, 512);
        addDense(modules, 512 * 7 * 7, 4096, 1);
        addDense(modules, 4096, 4096, 1);
        addDense(modules, 4096, 1000, 1);
        // Ops: TicTac's Table 1. Times are ours: twice ResNet50's rate of operations.
        return { "VGG16", modules, 388, 758, 65, 130 };
    }

    /// He et al., CVPR 2016, table 1.
    PublishedModel resNet50()
    {
        Modules modules;
        addNormalized(modules, { 7, 7, 3, 64, 112 });
        std::uint64_t inputs = 64, inner = 64, side = 56;
        for (const int blocks : { 3, 4, 6, 3 }) {
            for (int i = 0; i < blocks; ++i) {
                // The stride is that of the 3 x 3 convolution.
                const std::uint64_t before = i == 0 && inner > 64 ? 2 * side : side;
                addNormalized(modules, { 1, 1, inputs, inner, before });
                addNormalized(modules, { 3, 3, inner, inner, side });
                addNormalized(modules, { 1, 1, inner, 4 * inner, side });
                if (i == 0)
                    addNormalized(modules, { 1, 1, inputs, 4 * inner, side });
                inputs = 4 * inner;
            }
            inner *= 2;
            side /= 2;
        }
        addDense(modules, 2048, 1000, 1);
        // Ops: TicTac's Table 1. Times: dPRO's Table 2.
        return { "ResNet50", modules, 1114, 2096, 34.78, 71.34 };
    }

    class InceptionV3
    {
    public:
        /// Szegedy et al., CVPR 2016, table 1 and figures 5 to 7, with the auxiliary classifier.
        PublishedModel model()
        {
            stem();
            for (const std::uint64_t pooled : { 32, 64, 64 })
                blockA(pooled);
            reductionA();
            for (const std::uint64_t inner : { 128, 160, 160, 192 })
                blockB(inner);
            auxiliary();
            reductionB();
            blockC(1280);
            blockC(2048);
            addDense(m_modules, 2048, 1000, 1);
            // Ops: TicTac's Table 1. Times are ours: ResNet50's rate of operations.
            return { "InceptionV3", m_modules, 1904, 3672, 48, 99 };
        }

    private:
        void conv(std::uint64_t height, std::uint64_t width, std::uint64_t inputs,
                  std::uint64_t outputs, std::uint64_t side)
        {
            addNormalized(m_modules, { height, width, inputs, outputs, side });
        }

        void stem()
        {
            conv(3, 3, 3, 32, 149);
            conv(3, 3, 32, 32, 147);
            conv(3, 3, 32, 64, 147);
            conv(1, 1, 64, 80, 73);
            conv(3, 3, 80, 192, 71);
        }

        void blockA(std::uint64_t pooled)
        {
            conv(1, 1, m_inputs, 64, 35);
            conv(1, 1, m_inputs, 48, 35);
            conv(5, 5, 48, 64, 35);
            conv(1, 1, m_inputs, 64, 35);
            conv(3, 3, 64, 96, 35);
            conv(3, 3, 96, 96, 35);
            conv(1, 1, m_inputs, pooled, 35);
            m_inputs = 224 + pooled;
        }

        void reductionA()
        {
            conv(3, 3, 288, 384, 17);
            conv(1, 1, 288, 64, 35);
            conv(3, 3, 64, 96, 35);
            conv(3, 3, 96, 96, 17);
        }

        void blockB(std::uint64_t inner)
        {
            conv(1, 1, 768, 192, 17);
            conv(1, 1, 768, inner, 17);
            conv(1, 7, inner, inner, 17);
            conv(7, 1, inner, 192, 17);
            conv(1, 1, 768, inner, 17);
            conv(7, 1, inner, inner, 17);
            conv(1, 7, inner, inner, 17);
            conv(7, 1, inner, inner, 17);
            conv(1, 7, inner, 192, 17);
            conv(1, 1, 768, 192, 17);
        }

        void auxiliary()
        {
            conv(1, 1, 768, 128, 5);
            conv(5, 5, 128, 768, 1);
            addDense(m_modules, 768, 1000, 1);
        }

        void reductionB()
        {
            conv(1, 1, 768, 192, 17);
            conv(3, 3, 192, 320, 8);
            conv(1, 1, 768, 192, 17);
            conv(1, 7, 192, 192, 17);
            conv(7, 1, 192, 192, 17);
            conv(3, 3, 192, 192, 8);
        }

        void blockC(std::uint64_t inputs)
        {
            conv(1, 1, inputs, 320, 8);
            conv(1, 1, inputs, 384, 8);
            conv(1, 3, 384, 384, 8);
            conv(3, 1, 384, 384, 8);
            conv(1, 1, inputs, 448, 8);
            conv(3, 3, 448, 384, 8);
            conv(1, 3, 384, 384, 8);
            conv(3, 1, 384, 384, 8);
            conv(1, 1, inputs, 192, 8);
        }

        Modules m_modules;
        std::uint64_t m_inputs = 192;
    };

    /// Devlin et al., NAACL 2019: 12 layers, 768 wide, 12 heads, 30,522 words.
    PublishedModel bertBase()
    {
        constexpr std::uint64_t Width = 768, Inner = 4 * Width;
        constexpr double Positions = 128; // ours
        constexpr double PassingWork = WorkOfPassing * static_cast<double>(Width) * Positions;
        Modules modules;
        const auto normalize = [&modules] {
            modules.push_back({ { 4 * Width, 4 * Width }, PassingWork });
        };
        for (const std::uint64_t rows : { 30'522, 512, 2 })
            modules.push_back({ { 4 * rows * Width }, PassingWork });
        normalize();
        for (int layer = 0; layer < 12; ++layer) {
            for (int i = 0; i < 4; ++i) // query, key, value, output
                addDense(modules, Width, Width, Positions);
            normalize();
            addDense(modules, Width, Inner, Positions);
            addDense(modules, Inner, Width, Positions);
            normalize();
        }
        addDense(modules, Width, Width, 1); // the pooler
        // Ops are ours: four forward and eight backward of each module. Times: dPRO's Table 2.
        const auto count = static_cast<int>(modules.size());
        return { "BERT Base", modules, 4 * count, 12 * count, 107.49, 185.66 };
    }

    /// Numbers that add up to `all`, and are alike but for one.
    std::vector<int> shared(int all, std::size_t parts)
    {
        std::vector<int> counts(parts, all / static_cast<int>(parts));
        for (std::size_t i = 0; i < static_cast<std::size_t>(all) % parts; ++i)
            ++counts[i];
        return counts;
    }

    std::vector<std::int64_t> byWork(const Modules &modules, double ms)
    {
        double all = 0;
        for (const PublishedModule &module : modules)
            all += module.work;
        std::vector<std::int64_t> ns;
        ns.reserve(modules.size());
        for (const PublishedModule &module : modules)
            ns.push_back(std::llround(1e6 * ms * module.work / all));
        return ns;
    }

    std::uint64_t bytesOf(const PublishedModule &module)
    {
        return std::accumulate(module.tensorBytes.begin(), module.tensorBytes.end(),
                               std::uint64_t { 0 });
    }

} // namespace

std::size_t PublishedModel::tensors() const
{
    std::size_t count = 0;
    for (const PublishedModule &module : modules)
        count += module.tensorBytes.size();
    return count;
}

std::uint64_t PublishedModel::bytes() const
{
    std::uint64_t sum = 0;
    for (const PublishedModule &module : modules)
        sum += bytesOf(module);
    return sum;
}

std::vector<PublishedModel> publishedModels()
{
    return { resNet50(), vgg16(), InceptionV3().model(), bertBase() };
}

GpuDdpJob publishedJob(const PublishedModel &model, int ranks, int iterations)
{
    GpuDdpJob job;
    job.ranks = ranks;
    job.iterations = iterations;
    job.layerForwardNs = byWork(model.modules, model.forwardMs);
    job.layerBackwardNs = byWork(model.modules, model.backwardMs);
    job.layerForwardKernels = shared(model.forwardOps, model.modules.size());
    job.layerBackwardKernels = shared(model.trainingOps - model.forwardOps, model.modules.size());
    for (const PublishedModule &module : model.modules) {
        job.layerBytes.push_back(bytesOf(module));
        job.layerTensors.push_back(module.tensorBytes);
    }
    job.linkBytesPerNs = 2.5;
    job.scatter = 0.01;
    return job;
}

} // namespace tests
