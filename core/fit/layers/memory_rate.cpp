#include "core/fit/layers/memory_rate.h"

#include "core/measure/student_t.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace core {

void MemoryRateSamples::add(NameId name, double bytes, double ns)
{
    if (bytes > 0 && ns > 0)
        m_samples[name].push_back({ ns / bytes, bytes });
}

double MemoryRateSamples::medianOf(std::vector<Sample> samples)
{
    std::sort(samples.begin(), samples.end(),
              [](const Sample &a, const Sample &b) { return a.nsPerByte < b.nsPerByte; });
    double all = 0, below = 0;
    for (const Sample &sample : samples)
        all += sample.bytes;
    for (const Sample &sample : samples) {
        below += sample.bytes;
        if (2 * below >= all)
            return sample.nsPerByte;
    }
    return samples.back().nsPerByte;
}

std::optional<MemoryRate> MemoryRateSamples::rate() const
{
    const auto patterns = static_cast<double>(m_samples.size());
    if (m_samples.size() < 2)
        return std::nullopt;
    std::vector<double> logs;
    double mean = 0;
    for (const auto &[name, samples] : m_samples) {
        logs.push_back(std::log(medianOf(samples)));
        mean += logs.back() / patterns;
    }
    double squares = 0;
    for (const double log : logs)
        squares += std::pow(log - mean, 2);
    const double error = std::sqrt(squares / (patterns - 1) * (1 + 1 / patterns));
    return MemoryRate { std::exp(mean), std::exp(studentT95(m_samples.size() - 1) * error) };
}

} // namespace core
