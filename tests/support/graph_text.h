#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"

#include <string>
#include <string_view>

namespace tests {

/// A graph from text: one chain a line, "a:10 -> b:5@gpu -> c:7+2". A node is
/// NAME[:DURATION][@DEVICE][+DELAY][!PRIORITY][#BYTES][%RATELIMIT]; its numbers are given where it
/// is first named. Devices serve one op at a time; a device named link or link2 is shared by any
/// number, or by two; one named urgent serves by priority, preempting also sets back. DEVICE~CREDIT
/// gives it a credit of bytes, with any number at once. A node without a device has one of its own.
core::Graph graphFromText(std::string_view text);

/// "a 0-10, b 10-15": every op with its times, in order of start, then of name.
std::string timesText(const core::Graph &graph, const core::ReplayResult &result);

/// "a b c": the names along a path.
std::string pathText(const core::Graph &graph, const std::vector<core::OpId> &path);

} // namespace tests
