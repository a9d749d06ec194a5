#include "core/project/write/same_content.h"

#include <algorithm>
#include <set>

namespace core {

namespace {

    bool hasSameRanks(Database &db, const CollectedFile &file, FileId known)
    {
        std::set<int> expected, found;
        for (const CollectedFile::CollectedWorker &collected : file.workers)
            if (collected.rank)
                expected.insert(*collected.rank);
        Statement select(db,
                         "SELECT w.rank FROM worker_file f JOIN worker w ON w.id = f.worker "
                         "WHERE f.source_file = ?");
        select.bindAll(std::int64_t(known.value));
        while (select.step())
            found.insert(static_cast<int>(select.integer(0)));
        return found == expected;
    }

    bool hasSameCounts(Database &db, const CollectedFile &file, FileId known)
    {
        std::map<std::string, std::uint64_t> found;
        Statement select(db, "SELECT category, count FROM file_event_count WHERE file = ?");
        select.bindAll(std::int64_t(known.value));
        while (select.step())
            found[select.text(0)] = select.natural(1);
        return found == file.source.eventsByCategory;
    }

    bool hasSameTracks(Database &db, const CollectedFile &file, FileId known)
    {
        Statement select(db,
                         "SELECT pid, tid, slice_count, raw_start_ns, raw_end_ns FROM track "
                         "WHERE file = ? ORDER BY id");
        select.bindAll(std::int64_t(known.value));
        for (const CollectedTrack &collected : file.tracks) {
            const bool isSame = select.step() && select.text(0) == collected.track.pid
                && select.text(1) == collected.track.tid && select.natural(2) == collected.size()
                && select.integer(3) == collected.range().startNs
                && select.integer(4) == collected.range().endNs;
            if (!isSame)
                return false;
        }
        return !select.step();
    }

    bool hasSameBytes(Database &db, const CollectedFile &file, FileId known)
    {
        Statement select(db, "SELECT stored_bytes, fingerprint FROM source_file WHERE id = ?");
        return select.bindAll(std::int64_t(known.value)).step()
            && select.natural(0) == file.source.storedBytes
            && (select.textView(1).empty() || select.textView(1) == file.source.fingerprint);
    }

} // namespace

bool hasSameContent(Database &db, const CollectedFile &file, FileId known)
{
    const bool hasSlices
        = std::any_of(file.tracks.begin(), file.tracks.end(),
                      [](const CollectedTrack &track) { return track.size() > 0; });
    return (hasSlices || hasSameBytes(db, file, known)) && hasSameRanks(db, file, known)
        && hasSameCounts(db, file, known) && hasSameTracks(db, file, known);
}

} // namespace core
