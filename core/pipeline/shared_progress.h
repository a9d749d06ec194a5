#pragma once

#include "core/base/job_control.h"

#include <mutex>
#include <vector>

namespace core {

/// One JobControl for jobs that run at the same time: calls its functions one at a time, adds the
/// progress of the jobs up, and never lets it fall back. A mutex, as no atomic can do that: the
/// functions are the caller's and need not bear two threads, and the sum is of all jobs' parts.
class SharedProgress
{
public:
    /// weights: what each job adds to the whole. `whole` must outlive this.
    SharedProgress(const JobControl &whole, std::vector<double> weights);

    /// The control of one job; refers to this.
    JobControl job(std::size_t index);
    /// Makes every job see that it is cancelled.
    void stop();

private:
    bool isCancelled();
    void report(std::size_t index, double fraction, std::string_view stage);

    const JobControl &m_whole;
    std::mutex m_mutex;
    std::vector<double> m_weights; ///< sum is 1
    std::vector<double> m_fractions; ///< by job
    double m_reported = 0;
    bool m_isStopped = false;
};

} // namespace core
