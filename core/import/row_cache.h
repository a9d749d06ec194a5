#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace core {

/// The rows of a file that were made so far, by worker and spec.
///
/// A damaged file can name a new row in every record: past MaximumRows, or past what the import may
/// hold, the further ones of a worker are one, for which the sink has room left.
class RowCache
{
public:
    static constexpr std::size_t MaximumRows = MaximumTracks / 2;

    /// The sink must outlive the cache.
    RowCache(TraceSink &sink, std::string file);

    /// The row of that spec; made, with that name, if there is none yet.
    TrackId row(WorkerId worker, const TrackSpec &spec, const std::string &name);
    /// The same where there is one; for names that take long to make.
    std::optional<TrackId> known(WorkerId worker, const TrackSpec &spec) const;

private:
    using Key = std::tuple<WorkerId, TrackKind, std::string, std::string, std::optional<int>>;
    TrackId further(WorkerId worker);
    TrackId make(WorkerId worker, const TrackSpec &spec, const std::string &name);

    TraceSink &m_sink;
    std::string m_file;
    const std::size_t m_mostBytes;
    std::size_t m_heldBytes = 0; ///< by m_rows and the rows' names, which the sink holds
    std::map<Key, TrackId> m_rows;
    std::map<WorkerId, TrackId> m_further; ///< workers are bounded where they are made
};

} // namespace core
