#pragma once

#include "core/base/time_range.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Finds iterations where a source marks none: each gradient is reduced once an iteration, so the
/// n-th time that a tensor is communicated belongs to iteration n.
class TensorRounds
{
public:
    /// One reduction of a tensor. Any order of tensors; each tensor's in order of time.
    void add(std::string_view tensor, std::int64_t startNs, std::int64_t endNs);

    /// Iteration n lasts from the first tensor's n-th start to the first tensor's next one; the
    /// last one to its last end. Only tensors that are communicated as often as most are, or once
    /// more or less (the file begins or ends inside of an iteration), count. Empty where nothing
    /// repeats, or the rounds run into each other.
    std::vector<TimeRange> iterations() const;

private:
    struct Tensor
    {
        std::vector<std::int64_t> startsNs;
        std::int64_t lastEndNs = 0;
    };

    std::size_t usualCount() const;

    std::map<std::string, Tensor, std::less<>> m_tensors;
};

} // namespace core
