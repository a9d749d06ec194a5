#pragma once

#include <cstddef>
#include <random>

namespace core {

/// Metropolis' rule (Metropolis et al. 1953): a step that is longer by so much is taken by chance,
/// the less likely the colder it is; a shorter one always. Uses nothing of the standard library
/// whose results differ by library.
bool isTakenAt(double temperatureNs, double longerNs, std::mt19937_64 &random);

/// One of the numbers below `count`, which is 1 or more.
std::size_t chosenOf(std::size_t count, std::mt19937_64 &random);

} // namespace core
