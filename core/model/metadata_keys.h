#pragma once

#include "core/model/trace.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Names of metadata (TraceSink::metadata) that importers write and the analysis reads.

namespace core {

/// Name of a file's metadata (TraceSink::metadata) that is a sentence for people: why a prediction
/// from the file is not to be relied on.
inline constexpr std::string_view DoubtKey = "doubt";
/// The same of what was put right, as far as that could be told.
inline constexpr std::string_view RepairKey = "repair";
/// The metadata in which a file tells how it calls its accelerators ("XPU"); those of others are
/// GPUs.
inline constexpr std::string_view AcceleratorKey = "accelerator";

/// The metadata in which an execution trace tells what some of its ops are called: a line
/// "NODE NAME" each, NODE as in SliceColumns::node.
inline constexpr std::string_view OpNamesKey = "op_names";

/// The metadata in which an execution trace tells of the collectives that it saw: a line "NODE KIND
/// BYTES RANKS GROUP" each, NODE as in SliceColumns::node, 0 for a number that is not known. GROUP
/// is the rest of the line and may be empty.
inline constexpr std::string_view TracedCollectivesKey = "traced_collectives";
/// Of RANKS and BYTES: more is damage, neither written nor used.
inline constexpr std::uint64_t MostTracedRanks = 1'000'000,
                               MostTracedBytes = std::uint64_t { 1 } << 48;

/// How the worker's files call its accelerators: "XPU", "NPU"; "GPU" where none tells (see
/// AcceleratorKey).
std::string acceleratorWord(std::span<const JobMetadata> metadata, const Worker &worker);

} // namespace core
