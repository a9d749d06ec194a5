#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace core {

/// The rows of a file that were made so far, by worker and name.
class RowCache
{
public:
    /// A damaged file can name a new row in every record; the further ones of a worker are one.
    static constexpr std::size_t MaximumRows = 100'000;

    /// The sink must outlive the cache.
    RowCache(TraceSink &sink, std::string file);

    /// The row of that pid and name; made by `spec` if there is none yet.
    TrackId row(WorkerId worker, const TrackSpec &spec, const std::string &name);

private:
    using Key = std::pair<WorkerId, std::string>;
    TrackId make(const Key &key, const TrackSpec &spec, const std::string &name);

    TraceSink &m_sink;
    std::string m_file;
    std::map<Key, TrackId> m_rows;
};

} // namespace core
