#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// Names of some ops of a framework's own graph, by which it is told whether a timeline is of the
/// same program (OpNamesKey). They are a sample over the whole file: where it is full, every second
/// one goes, and so do those to come.
class OpNameSample
{
public:
    /// `node`: as SliceColumns::node; `name`: valid UTF-8 of one line, as the timeline has it.
    void add(std::uint64_t node, std::string name);
    /// After the last op. Nothing where there was none.
    void deliver(TraceSink &sink) const;

private:
    std::vector<std::pair<std::uint64_t, std::string>> m_names; ///< of every m_stride-th op
    std::size_t m_stride = 1, m_opCount = 0;
};

} // namespace core
