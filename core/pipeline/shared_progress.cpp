#include "core/pipeline/shared_progress.h"

#include <algorithm>
#include <numeric>

namespace core {

SharedProgress::SharedProgress(const JobControl &whole, std::vector<double> weights)
    : m_whole(whole)
    , m_weights(std::move(weights))
    , m_fractions(m_weights.size(), 0)
{
    const double sum = std::accumulate(m_weights.begin(), m_weights.end(), 0.0);
    for (double &weight : m_weights)
        weight /= std::max(sum, 1.0);
}

JobControl SharedProgress::job(std::size_t index)
{
    return { [this] { return isCancelled(); },
             [this, index](double fraction, std::string_view stage) {
                 report(index, fraction, stage);
             } };
}

void SharedProgress::stop()
{
    const std::lock_guard lock(m_mutex);
    m_isStopped = true;
}

bool SharedProgress::isCancelled()
{
    const std::lock_guard lock(m_mutex);
    return m_isStopped || m_whole.isCancelled();
}

void SharedProgress::report(std::size_t index, double fraction, std::string_view stage)
{
    const std::lock_guard lock(m_mutex);
    m_fractions[index] = std::max(m_fractions[index], fraction);
    const double sum
        = std::inner_product(m_fractions.begin(), m_fractions.end(), m_weights.begin(), 0.0);
    m_reported = std::max(m_reported, std::min(sum, 1.0));
    m_whole.report(m_reported, stage);
}

} // namespace core
