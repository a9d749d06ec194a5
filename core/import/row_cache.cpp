#include "core/import/row_cache.h"

#include <utility>

namespace core {

RowCache::RowCache(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
{
}

TrackId RowCache::row(WorkerId worker, const TrackSpec &spec, const std::string &name)
{
    Key key { worker, spec.kind, spec.pid, spec.tid, spec.device };
    const auto known = m_rows.find(key);
    if (known != m_rows.end())
        return known->second;
    if (m_rows.size() >= MaximumRows)
        return further(worker);
    return m_rows[std::move(key)] = make(worker, spec, name);
}

TrackId RowCache::further(WorkerId worker)
{
    m_sink.diagnostics().count(
        "too-many-rows", Severity::Error, { m_file, {} },
        "more than " + std::to_string(MaximumRows)
            + " rows in one file: it is damaged. What lies on the further ones of a rank was put "
              "on one row. Record again");
    const auto known = m_further.find(worker);
    return known != m_further.end() ? known->second
                                    : m_further[worker]
        = make(worker, { TrackKind::Other, "", "further rows", {} }, "further rows");
}

TrackId RowCache::make(WorkerId worker, const TrackSpec &spec, const std::string &name)
{
    const TrackId row = m_sink.track(worker, spec);
    m_sink.nameTrack(row, name);
    return row;
}

} // namespace core
