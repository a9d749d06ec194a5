#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace core {

/// The rows of a file that were made so far, by worker and spec.
class RowCache
{
public:
    /// A damaged file can name a new row in every record; the further ones of a worker are one,
    /// for which the sink has room left.
    static constexpr std::size_t MaximumRows = MaximumTracks / 2;

    /// The sink must outlive the cache.
    RowCache(TraceSink &sink, std::string file);

    /// The row of that spec; made, with that name, if there is none yet.
    TrackId row(WorkerId worker, const TrackSpec &spec, const std::string &name);

private:
    using Key = std::tuple<WorkerId, TrackKind, std::string, std::string, std::optional<int>>;
    TrackId further(WorkerId worker);
    TrackId make(WorkerId worker, const TrackSpec &spec, const std::string &name);

    TraceSink &m_sink;
    std::string m_file;
    std::map<Key, TrackId> m_rows;
    std::map<WorkerId, TrackId> m_further; ///< workers are bounded where they are made
};

} // namespace core
