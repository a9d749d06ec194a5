#pragma once

#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// The ranks of a project by the job that they are of.
struct SeparateJobs
{
    std::vector<std::vector<WorkerId>> jobs; ///< each by rank; by their lowest rank
    std::vector<std::string> reasons; ///< parts of a sentence: what tells them apart
    bool areMaybeClocks = false; ///< some may be of one job whose clocks nothing relates

    bool areSeveral() const { return jobs.size() > 1; }
};

/// Tells jobs apart whose traces were imported together, on what cannot be so within one job: ranks
/// state different world sizes; they recorded one after the other, and nothing that they recorded
/// can have happened at the same time; their clocks began elsewhere (at a boot, in 1970) and
/// nothing that they recorded relates them, so that no time of one can be compared with one of
/// another; or what they reduce over all ranks cannot be of one job, see JobComparison. What
/// may be a wrong clock or a model that is divided among ranks tells nothing: those ranks are of
/// one job.
SeparateJobs separateJobs(const Trace &trace);

/// "The traces are of 2 jobs: ranks 0-1 (a.json and 1 more) and ranks 2-3 (c.json and 1 more) ...",
/// with the reasons and what to do. Of several jobs.
std::string separateJobsText(const Trace &trace, const SeparateJobs &found);

/// The same in one sentence for a headline: which ranks, and what to do.
std::string separateJobsHeadline(const Trace &trace, const SeparateJobs &found);

/// Of several jobs, the status of the clocks says that instead of what was solved.
void tellSeparateJobs(const Trace &trace, const SeparateJobs &found, AlignmentReport &clocks);

} // namespace core
