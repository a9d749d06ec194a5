#include "core/import/row_cache.h"

namespace core {

RowCache::RowCache(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
{
}

TrackId RowCache::row(WorkerId worker, const TrackSpec &spec, const std::string &name)
{
    const Key key { worker, std::string(spec.pid) + '/' + name };
    const auto known = m_rows.find(key);
    if (known != m_rows.end())
        return known->second;
    if (m_rows.size() < MaximumRows)
        return make(key, spec, name);
    m_sink.diagnostics().count("too-many-rows", Severity::Error, { m_file, {} },
                               "more than 100000 rows in one file: it is damaged. What lies on the "
                               "further ones was put on one row. Record again");
    const Key further { worker, {} }; // workers are bounded where they are made
    const auto shared = m_rows.find(further);
    return shared != m_rows.end()
        ? shared->second
        : make(further, { TrackKind::Other, "", "further rows", {} }, "further rows");
}

TrackId RowCache::make(const Key &key, const TrackSpec &spec, const std::string &name)
{
    const TrackId row = m_sink.track(key.first, spec);
    m_sink.nameTrack(row, name);
    return m_rows[key] = row;
}

} // namespace core
