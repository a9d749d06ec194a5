#pragma once

#include "core/model/op_shapes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

namespace core {

/// What the shapes of a job's tensors say about its batch.
struct BatchShapes
{
    std::set<Shape> parameters; ///< of weights, as the optimizer and the gradients' sums have them
    std::set<std::int64_t> rows; ///< samples, or samples times positions: the leading sizes of what
                                 ///< the forward pass multiplies with weights

    /// As it is or transposed.
    bool isParameter(const Shape &shape) const;
};

/// How often memory is passed over for a byte.
struct MemoryPasses
{
    /// Of a result that was not read before: on a host its lines are read first, and written back
    /// later (write-allocate).
    double write = 1;
    /// Of what a product multiplies: on a host it is copied once into the order in which it is
    /// multiplied (packing: Goto and van de Geijn, "Anatomy of High-Performance Matrix
    /// Multiplication", ACM TOMS 34(3), 2008).
    double operand = 1;

    static constexpr MemoryPasses ofHost() { return { 2, 3 }; }
    static constexpr MemoryPasses ofAccelerator() { return { 1, 1 }; }
};

enum class OpClass {
    Product, ///< of matrices
    Convolution,
    Streaming, ///< passes over its arguments once and does next to nothing with them
    Other
};

OpClass opClass(std::string_view name);

std::int64_t elementsOf(const Shape &shape);
std::int64_t elementsOf(const Shapes &shapes);

/// Rows of the matrix that a product of the forward pass multiplies with weights; empty for other
/// ops, and where that matrix is itself of a parameter's shape.
std::optional<std::int64_t> productRows(std::string_view name, const Shapes &shapes,
                                        const BatchShapes &batch);

/// What a product of matrices multiplies.
struct ProductSize
{
    double multiplications = 0; ///< m * k * n of each pair; 0 of other ops
    std::size_t dimensions = 0; ///< of the operands: 2, or 3 with many pairs at once
};
ProductSize productSize(std::string_view name, const Shapes &shapes);

/// How many elements of memory an op passes over that do not grow with the batch: weights where
/// they are an operand, weights' gradients where they are the result. Of a product of the shape
/// (m x k) (k x n) one of the sizes is the batch's: of the forward pass and the gradient of its
/// input m, of the weights' gradient k, of transposed layouts n; the other two are the weights'.
/// Where two readings are possible, the one whose weights have a parameter's shape, of those the
/// one with fewer elements. Empty where no reading is, and for other ops than products and
/// convolutions.
std::optional<double> fixedElements(std::string_view name, const Shapes &shapes,
                                    const BatchShapes &batch, const MemoryPasses &passes);

/// How many elements of memory a Streaming op passes over in all.
double streamedElements(std::string_view name, const Shapes &shapes, const MemoryPasses &passes);

} // namespace core
