#include "core/graph/collectives/binary_trees.h"

namespace core {

namespace {

    /// Node 0 is the root; a node whose lowest set bit is 2^k is on level k, above those 2^(k-1)
    /// to both sides of it. Where the parent would lie behind the last node, it is the one before.
    std::optional<std::uint32_t> parentOf(std::uint32_t node, std::uint32_t nodes)
    {
        if (node == 0)
            return {};
        const std::uint32_t bit = node & (~node + 1);
        const std::uint32_t below = node - bit;
        const std::uint32_t parent = below | (bit << 1);
        return parent < nodes ? parent : below;
    }

} // namespace

DoubleTree doubleBinaryTree(std::uint32_t nodes)
{
    DoubleTree trees;
    for (std::uint32_t node = 0; node < nodes; ++node)
        trees.first.push_back(parentOf(node, nodes));
    trees.second.resize(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) {
        const auto moved
            = [nodes](std::uint32_t n) { return nodes % 2 == 0 ? nodes - 1 - n : (n + 1) % nodes; };
        const std::optional<std::uint32_t> &parent = trees.first[node];
        trees.second[moved(node)] = parent ? std::optional(moved(*parent)) : std::nullopt;
    }
    return trees;
}

} // namespace core
