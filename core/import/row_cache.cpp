#include "core/import/row_cache.h"

#include "core/import/held_share.h"

#include <utility>

namespace core {

namespace {

    constexpr std::size_t BytesPerCachedRow = 160; ///< beside its texts; about

} // namespace

RowCache::RowCache(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_mostBytes(heldShare(sink))
{
}

std::optional<TrackId> RowCache::known(WorkerId worker, const TrackSpec &spec) const
{
    const auto found = m_rows.find(
        { worker, spec.kind, std::string(spec.pid), std::string(spec.tid), spec.device });
    return found == m_rows.end() ? std::nullopt : std::optional(found->second);
}

TrackId RowCache::row(WorkerId worker, const TrackSpec &spec, const std::string &name)
{
    Key key { worker, spec.kind, spec.pid, spec.tid, spec.device };
    const auto known = m_rows.find(key);
    if (known != m_rows.end())
        return known->second;
    const std::size_t size = BytesPerCachedRow + spec.pid.size() + spec.tid.size() + name.size();
    if (m_rows.size() >= MaximumRows || size > m_mostBytes - m_heldBytes)
        return further(worker);
    m_heldBytes += size;
    return m_rows[std::move(key)] = make(worker, spec, name);
}

TrackId RowCache::further(WorkerId worker)
{
    m_sink.diagnostics().count(
        "too-many-rows", Severity::Error, { m_file, {} },
        "more than " + std::to_string(MaximumRows)
            + " rows in one file, or more than the import may hold: what lies on the further ones "
              "of a rank was put on one row. Import again with a larger --memory-limit (longpole "
              "import); if that "
              "many never ran, the file is damaged: record again");
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
