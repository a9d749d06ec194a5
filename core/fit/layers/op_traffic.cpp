#include "core/fit/layers/op_traffic.h"

#include <algorithm>
#include <array>
#include <vector>

namespace core {

namespace {

    /// Reads `reads` arguments from the `firstRead`-th on, and writes as many elements as its
    /// largest argument has: where it works in place, over what it has read.
    struct StreamingOp
    {
        std::string_view name;
        std::size_t firstRead, reads;

        bool isInPlace() const { return name.ends_with('_') && firstRead == 0 && reads > 0; }
    };
    constexpr std::array StreamingOps {
        StreamingOp { "aten::zero_", 0, 0 },     StreamingOp { "aten::fill_", 0, 0 },
        StreamingOp { "aten::copy_", 1, 1 },     StreamingOp { "aten::add_", 0, 2 },
        StreamingOp { "aten::sub_", 0, 2 },      StreamingOp { "aten::mul_", 0, 2 },
        StreamingOp { "aten::div_", 0, 2 },      StreamingOp { "aten::add", 0, 2 },
        StreamingOp { "aten::sub", 0, 2 },       StreamingOp { "aten::mul", 0, 2 },
        StreamingOp { "aten::div", 0, 2 },       StreamingOp { "aten::neg", 0, 1 },
        StreamingOp { "aten::relu", 0, 1 },      StreamingOp { "aten::relu_", 0, 1 },
        StreamingOp { "aten::clamp_min", 0, 1 }, StreamingOp { "aten::threshold_backward", 0, 2 },
        StreamingOp { "aten::addcmul_", 0, 3 },  StreamingOp { "aten::addcdiv_", 0, 3 },
    };

    const StreamingOp *streamingOp(std::string_view name)
    {
        const auto found = std::find_if(StreamingOps.begin(), StreamingOps.end(),
                                        [name](const StreamingOp &op) { return op.name == name; });
        return found == StreamingOps.end() ? nullptr : &*found;
    }

    /// Where the operands of a product are among its arguments.
    struct ProductOp
    {
        std::string_view name;
        std::size_t firstOperand;
    };
    constexpr std::array ProductOps { ProductOp { "aten::mm", 0 }, ProductOp { "aten::addmm", 1 },
                                      ProductOp { "aten::bmm", 0 },
                                      ProductOp { "aten::baddbmm", 1 } };

    struct Operands
    {
        const Shape *left, *right;
    };

    /// Of the same number of dimensions, 2 or 3.
    std::optional<Operands> operandsOf(std::string_view name, const Shapes &shapes)
    {
        const auto op = std::find_if(ProductOps.begin(), ProductOps.end(),
                                     [name](const ProductOp &p) { return p.name == name; });
        if (op == ProductOps.end() || shapes.size() < op->firstOperand + 2)
            return std::nullopt;
        const Operands found { &shapes[op->firstOperand], &shapes[op->firstOperand + 1] };
        const std::size_t dims = found.left->size();
        if (dims < 2 || dims > 3 || found.right->size() != dims)
            return std::nullopt;
        return found;
    }

    struct Reading
    {
        double elements = 0;
        bool isOfParameter = false;
    };

    /// Fewest elements among those of parameters; else fewest of all.
    std::optional<double> best(const std::vector<Reading> &readings)
    {
        const auto least = std::min_element(
            readings.begin(), readings.end(), [](const Reading &a, const Reading &b) {
                return a.isOfParameter != b.isOfParameter ? a.isOfParameter
                                                          : a.elements < b.elements;
            });
        if (least == readings.end())
            return std::nullopt;
        return least->elements;
    }

    std::optional<double> fixedOfProduct(const Operands &operands, const BatchShapes &batch,
                                         const MemoryPasses &passes)
    {
        const Shape &left = *operands.left, &right = *operands.right;
        const std::size_t last = left.size() - 1;
        Shape result = left;
        result[last] = right[last];
        // What does not grow if the batch is m, k or n.
        const struct
        {
            std::int64_t size;
            const Shape &weights;
            double count;
        } candidates[] = { { left[last - 1], right, passes.operand },
                           { left[last], result, passes.write },
                           { right[last], left, passes.operand } };
        std::vector<Reading> readings;
        for (const auto &[size, weights, count] : candidates)
            if (const bool isOfParameter = batch.isParameter(weights);
                isOfParameter || (last == 1 && batch.rows.contains(size)))
                readings.push_back(
                    { count * static_cast<double>(elementsOf(weights)), isOfParameter });
        if (readings.empty() && last == 2)
            return 0; // one product a sample (attention)
        return best(readings);
    }

    bool isConvolution(std::string_view name)
    {
        return name.starts_with("aten::") && name.find("convolution") != std::string_view::npos;
    }

    /// Arguments: (input, weights, ...) or (gradient, input, weights, ...). Parts of the backward
    /// pass of their own: (sizes, gradient, weights) for the input's, and (sizes, gradient, input)
    /// for the weights', which has no tensor of the weights' shape.
    std::optional<double> fixedOfConvolution(std::string_view name, const Shapes &shapes,
                                             const BatchShapes &batch, const MemoryPasses &passes)
    {
        const auto says = [name](std::string_view part) { return name.find(part) != name.npos; };
        const std::size_t weights = says("backward") ? 2 : 1;
        if (says("backward_weight") || says("backward_bias") || shapes.size() <= weights
            || shapes[weights].size() < 3
            || (!batch.parameters.empty() && !batch.isParameter(shapes[weights])))
            return std::nullopt;
        const bool isWritten = says("backward") && !says("backward_input");
        const double count = passes.operand + (isWritten ? passes.write : 0);
        return count * static_cast<double>(elementsOf(shapes[weights]));
    }

} // namespace

bool BatchShapes::isParameter(const Shape &shape) const
{
    return parameters.contains(shape)
        || (shape.size() == 2 && parameters.contains({ shape[1], shape[0] }));
}

OpClass opClass(std::string_view name)
{
    if (isConvolution(name))
        return OpClass::Convolution;
    if (std::any_of(ProductOps.begin(), ProductOps.end(),
                    [name](const ProductOp &op) { return op.name == name; }))
        return OpClass::Product;
    return streamingOp(name) != nullptr ? OpClass::Streaming : OpClass::Other;
}

std::int64_t elementsOf(const Shape &shape)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(count, size, &count))
            return 0; // no tensor is that large
    return shape.empty() ? 0 : count;
}

std::int64_t elementsOf(const Shapes &shapes)
{
    std::int64_t count = 0;
    for (const Shape &shape : shapes)
        if (__builtin_add_overflow(count, elementsOf(shape), &count))
            return 0;
    return count;
}

std::optional<std::int64_t> productRows(std::string_view name, const Shapes &shapes,
                                        const BatchShapes &batch)
{
    const auto operands = operandsOf(name, shapes);
    if (!operands || operands->left->size() != 2 || batch.isParameter(*operands->left))
        return std::nullopt;
    return operands->left->front();
}

ProductSize productSize(std::string_view name, const Shapes &shapes)
{
    // Input and weights, which are transposed: (... x k) (n x k).
    if (name == "aten::linear" && shapes.size() >= 2 && shapes[1].size() == 2)
        return { static_cast<double>(elementsOf(shapes[0])) * static_cast<double>(shapes[1][0]),
                 2 };
    const auto operands = operandsOf(name, shapes);
    if (!operands)
        return {};
    return { static_cast<double>(elementsOf(*operands->left))
                 * static_cast<double>(operands->right->back()),
             operands->left->size() };
}

std::optional<double> fixedElements(std::string_view name, const Shapes &shapes,
                                    const BatchShapes &batch, const MemoryPasses &passes)
{
    if (isConvolution(name))
        return fixedOfConvolution(name, shapes, batch, passes);
    if (const auto operands = operandsOf(name, shapes))
        return fixedOfProduct(*operands, batch, passes);
    return std::nullopt;
}

double streamedElements(std::string_view name, const Shapes &shapes, const MemoryPasses &passes)
{
    const StreamingOp *op = streamingOp(name);
    if (op == nullptr)
        return 0;
    std::int64_t written = 0;
    for (const Shape &shape : shapes)
        written = std::max(written, elementsOf(shape));
    double all = (op->isInPlace() ? 1 : passes.write) * static_cast<double>(written);
    for (std::size_t i = op->firstRead; i < op->firstRead + op->reads && i < shapes.size(); ++i)
        all += static_cast<double>(elementsOf(shapes[i]));
    return all;
}

} // namespace core
