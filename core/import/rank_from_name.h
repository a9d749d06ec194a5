#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// The rank that words of a trace's path state, for traces that do not say it themselves: first the
/// file's name, then the folders from the innermost out. Understood are "rank0", "rank_0",
/// "rank-34", "rank[0]", "worker3", and "chakra.3.et" (the workloads of Chakra are named
/// NAME.RANK.et).
std::optional<int> rankFromWords(std::string_view path);

/// The last number of a file's name in which something else stands between the word rank and it:
/// "rank_host-node07_40". In "rank_trace_12345" it may be the id of a process.
std::optional<int> numberApartFromRank(std::string_view path);

/// Numbers in names may be ranks up to this: larger ones may as well be ids of processes.
constexpr int LargestLikelyRank = 999;

/// A number in a trace's path that is likely to be its rank: numberApartFromRank(), else one behind
/// a word for a process or its place ("gpu3", "node_0"; not where there are two of these words). At
/// most LargestLikelyRank.
std::optional<int> rankFromPlace(std::string_view path);

/// Places in a job's parallel dimensions that a file's name has ("TP-1-DP-0-PP-0-EP-1"): "tp",
/// "cp", "ep", "dp" and "pp" with their numbers.
std::map<std::string, int> parallelPlaces(std::string_view path);

/// The number before a file's extensions ("trace_0.json"), which may be a rank or anything. Times
/// and process ids (more than 6 digits), the last part of a version ("1.0.2") and what is behind a
/// word for something else, see endsInOtherWord(), are none.
std::optional<int> numberAtEnd(std::string_view path);

/// Whether the text before a number says that it counts something else than ranks: "run/step_",
/// "epoch".
bool endsInOtherWord(std::string_view before);

} // namespace core
