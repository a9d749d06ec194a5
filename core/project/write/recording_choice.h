#pragma once

#include "core/project/read/project_reader.h"
#include "core/project/write/known_ranks.h"

#include <string>
#include <vector>

namespace core {

/// A file that an import has looked at.
struct SeenFile
{
    SourceFile source;
    std::vector<RankPart> parts; ///< the ranks that it holds
    bool isTaken = false; ///< it is in the project
};

/// Files of recordings that are not taken.
struct SmallerRecordings
{
    std::vector<SourceFile> files; ///< as skipped ones, with the reason
    bool isTaken = false; ///< the project has any of them

    void add(const SeenFile &file, const std::string &reason);
};

/// Of files that claim the same ranks those of the smaller recordings, with one reason for all of a
/// recording. Files of a format are of one recording if they state one world size, have no rank
/// twice and were recorded at the same time (those whose clocks tell no time of day: lie together
/// and are named alike). The recording with the most ranks is taken whole, of equally many a
/// complete one, then one of a run (see RankPart::isOfRun), then the first; another that has one of
/// its ranks, and that cannot be of the same run by otherRecordingEvidence(), is left out whole.
/// Where nothing tells that, an intact file whose ranks the better recording has intact is left
/// out.
SmallerRecordings smallerRecordings(const std::vector<SeenFile> &files);

} // namespace core
