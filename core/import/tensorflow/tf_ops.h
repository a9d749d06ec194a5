#pragma once

#include "core/import/tensorflow/tf_device.h"
#include "core/model/category.h"

#include <optional>
#include <string_view>
#include <vector>

namespace core {

/// A node as TensorFlow writes it into a timeline label: "name = Op(input, ^control)".
struct TfLabel
{
    std::string_view name, op; ///< empty for a label of another form
    std::vector<std::string_view> inputs;
};

TfLabel tfLabel(std::string_view label);

/// The collective that an operator is, as collectiveKind() names it ("HorovodAllreduce":
/// "all_reduce"); absent for others.
std::optional<std::string_view> tfCollective(std::string_view op);

/// One input of a node: "scope/name:1", or "^scope/name" for one that only has to be done before.
struct TfInput
{
    std::string_view node;
    bool isControl = false;
};

TfInput tfInput(std::string_view input);

/// True for the edge that leads a loop's next round back to its begin: an edge between two ops of
/// one iteration would make a cycle.
bool isLoopEdge(std::string_view op, std::string_view input);

/// Category of an operator's slice in a row of that kind.
Category tfCategory(TfDevice::Row row, std::string_view op);

} // namespace core
