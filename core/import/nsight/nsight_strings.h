#pragma once

#include "core/import/nsight/nsight_database.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace core {

/// A text of the file as a name: valid UTF-8, without control characters, at most 16 KiB.
std::string nsightName(std::string_view text);

/// The table StringIds: texts by number, looked up when they are used. Real exports have millions,
/// most of them of tables that are not read.
class NsightStrings
{
public:
    NsightStrings(NsightDatabase &db, TraceSink &sink);

    /// Absent if there is no such number.
    std::optional<std::string> text(std::int64_t id);
    std::optional<NameId> name(std::int64_t id);

private:
    NsightDatabase &m_db;
    TraceSink &m_sink;
    std::optional<Statement> m_lookup;
    std::unordered_map<std::int64_t, NameId> m_names;
};

} // namespace core
