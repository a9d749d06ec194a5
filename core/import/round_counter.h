#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// Tells transfers of one name apart by how often it came before in the file.
class RoundCounter
{
public:
    /// The sink must outlive the counter.
    RoundCounter(TraceSink &sink, std::string file);

    /// How often that transfer was asked for before. Absent for one that is new past what the
    /// import may hold, which is counted.
    std::optional<std::uint64_t> next(std::string_view transfer);

private:
    TraceSink &m_sink;
    std::string m_file;
    const std::size_t m_mostBytes;
    std::size_t m_heldBytes = 0;
    std::map<std::string, std::uint64_t, std::less<>> m_rounds;
};

} // namespace core
