#pragma once

#include "core/model/trace.h"

#include <string_view>

namespace tests {

/// A Trace from text, one line each; times are microseconds, slices in any order within a track.
///
///     rank 0
///     thread main
///     ProfilerStep#0 0 100 user_annotation
///     aten::mm 10 20
///     comm gloo
///     gloo:all_reduce 30 40 kind=all_reduce bytes=400
///     stream 7 gpu=0
///     ncclKernel 30 40 comm_kernel kind=all_reduce seq=1 group=tp
///
/// A slice is NAME START DURATION [CATEGORY] [KEY=VALUE]...; the category defaults to cpu_op,
/// comm_op or kernel by track. Keys: kind (makes it a collective call), bytes, seq, group, size
/// (of the group), corr, ext, node, phase; tensor and ready (its data's time) of a collective; to
/// or from (a rank) with tensor for an end of a message; autograd (SliceColumns::sequence). ~ in a
/// name is a space. `iteration INDEX START DURATION` adds an iteration of the rank, `reads NODE
/// NODE` and `within NODE NODE` data and control dependencies of the first node on the second.
/// Blank lines and lines that begin with # are skipped. Aborts with a message on a bad line.
core::Trace traceFromText(std::string_view text);

} // namespace tests
