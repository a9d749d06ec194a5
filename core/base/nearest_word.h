#pragma once

#include <string_view>
#include <vector>

namespace core {

/// The word that one which is mistyped or not typed to its end was meant to be: that whose
/// beginning the fewest insertions, deletions and replacements of letters make of it (Wagner and
/// Fischer, JACM 1974), and of those the whole of which the fewest do. Empty where more than half
/// of its letters would change. Refers to `words`.
std::string_view nearestWord(std::string_view text, const std::vector<std::string_view> &words);

} // namespace core
