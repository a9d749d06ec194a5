#pragma once

#include "core/base/diagnostics.h"
#include "core/base/job_control.h"
#include "core/bundle/bundle.h"

#include <cstdint>
#include <string_view>

namespace core {

/// Gets the graph of a GML file in the order of the file.
class GmlConsumer
{
public:
    virtual ~GmlConsumer() = default;
    /// `label` as plain text (entities such as &#34; are undone); valid for the call only.
    virtual void addNode(std::int64_t id, std::string_view label) = 0;
    virtual void addEdge(std::int64_t source, std::int64_t target) = 0;
};

/// Reads a graph as networkx writes it: `graph [ node [ id 0 label "a" ] edge [ source 0 target 1 ]
/// ]`. Other keys, and lists as their values, are skipped. One pass, constant memory: texts are cut
/// after 64 KiB. What makes no sense, and what the file's end cuts off, is counted in
/// `diagnostics`. Throws Error if there is no graph, and Cancelled.
void readGml(BundleEntry &entry, Diagnostics &diagnostics, GmlConsumer &consumer,
             const JobControl &control);

} // namespace core
