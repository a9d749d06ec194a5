#pragma once

#include "core/bundle/bundle.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The ranks that the user states for files of a bundle (`--rank FILE=N`), by the files' places in
/// it. FILE is a file's path, absolute, relative or only its end ("rank0.json"), or a pattern with
/// * ? [ ] in its parts, which may name several files.
class StatedRanks
{
public:
    StatedRanks() = default;
    /// Throws UsageError where a FILE names no file of the bundle (the message lists those that
    /// there are), where one without a pattern names several, and where a file is stated to be two
    /// ranks.
    StatedRanks(const std::map<std::string, int> &rankByFile, const std::vector<BundleItem> &items);

    /// Of the file at this place in the bundle; absent: nothing is stated.
    std::optional<int> of(std::size_t item) const;

private:
    std::map<std::size_t, int> m_rankByItem;
};

} // namespace core
