#pragma once

#include "core/optimize/search.h"

#include <string>
#include <string_view>
#include <vector>

namespace core {

// Texts of a search that command line and window have in common.

/// "Use buckets of 5 MiB: saves 110.2 ms, 17 % of each iteration at bandwidth_mbit=1000.", "...:
/// may save 5.0 ms, 1.2 % of each iteration, or nothing.", or why there is no advice.
std::string adviceText(const SearchResult &result);

/// Baselines that are faster than the advice but was not to be searched, and where orders by chance
/// beat TicTac's: a sentence each.
std::vector<std::string> searchNotes(const SearchResult &result);

/// "dear, usbyte: The job would have to run on another system ...", a line for each reason.
std::vector<std::string> obstacleLines(const SearchResult &result);

/// No pass could propose a strategy, although there was time.
bool isNothingTried(const SearchResult &result);

/// " at bandwidth_mbit=1000"; empty where no settings are given.
std::string environmentText(const SearchResult &result);

/// "good"; "not judged" where the search was stopped before.
std::string trustText(const Candidate &candidate);

/// "same", "compressed".
std::string_view numericsName(Numerics numerics);

/// "110.2 ms, 17 %".
std::string gainText(const SearchResult &result, const Candidate &candidate);

/// "95.20 ms to 124.1 ms", "not known: ..."; 95 % of the gain.
std::string gainIntervalText(const Candidate &candidate);

} // namespace core
