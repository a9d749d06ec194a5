#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// By node: its parent; empty for the root.
using TreeParents = std::vector<std::optional<std::uint32_t>>;

/// The two binary trees over `nodes` nodes that NCCL sends half of the data through each: what is
/// inside of the one is a leaf of the other, so that every node sends and receives about the whole
/// once in either direction. Source: Sanders, Speck and Traeff 2009, Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan; as in NCCL the second tree is the first one mirrored
/// (an even number of nodes) or shifted by one (an odd one).
struct DoubleTree
{
    TreeParents first, second;
};

DoubleTree doubleBinaryTree(std::uint32_t nodes);

} // namespace core
