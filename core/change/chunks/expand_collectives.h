#pragma once

#include "core/base/job_control.h"
#include "core/change/transfers/link_changes.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <optional>
#include <string>

namespace core {

/// Why no collective can be shown in chunks; empty if some can.
std::optional<std::string> chunkObstacle(const Graph &graph);

/// The graph with the transfer of every collective as the chunks that the ranks send each other
/// (collectiveSchedule()): an op a chunk, from its SEND to its RECV, on the sender's end of the
/// link (the receiver's where many send to one). What a collective took is measured from when the
/// last rank had come, and its chunks divide that: they begin then, and each rank is done with its
/// last one, but no earlier than it was seen to be (stayAsRecorded()). So the unchanged collective
/// takes as long as its op did; links of unlike rates (bandwidth_mbit:RANK) hold it up chunk by
/// chunk, and what steps of one leave free of a rank's link another one uses.
///
/// Where the SEND and RECV of a collective's chunks were recorded, these are its chunks, with their
/// times, and each goes when both its ranks have come, unless the settings want another algorithm
/// (recordedChunks(), plannedAsRecorded()).
///
/// Else, which algorithm: the settings' `collective`, else the one that NCCL states (its profiler's
/// dumps, its Inspector) or chooses by its rule (withNcclChoices()), if its steps are known; else a
/// ring, which is gloo's default, too. The names of NCCL's kernels do not tell: a kernel that is
/// named after one algorithm runs the others, too.
///
/// Not the default: it predicts as well as one op a collective does (on the test bed the median
/// errors are alike to 0.1 %; with unlike links -2.3 and +1.4 % against -2.0 and +1.4 %), and no
/// better. Where two collectives of unlike kinds share a link, an unchanged job may take some
/// tenths of a percent less than with one op each: these take equal shares of all of the link,
/// chunks only of the ends that they are on.
///
/// Bounded: larger chunks where a collective or the graph would have too many, and collectives that
/// even so have too many, or whose steps are not known, stay one op; the notes tell. Throws Error
/// when there is an obstacle, and where the settings want ranks that are not there.
Graph withChunks(const Graph &graph, const Trace &trace, const LinkModels &links,
                 const LinkChanges &changes, const JobControl &control);

} // namespace core
