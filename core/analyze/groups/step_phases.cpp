#include "core/analyze/groups/step_phases.h"

#include <algorithm>
#include <set>
#include <utility>

namespace core {

std::vector<HostRecording> hostRecordings(const Trace &trace)
{
    std::vector<HostRecording> hosts(trace.workers.size());
    std::set<std::pair<WorkerId, std::int64_t>> compared;
    for (const Iteration &iteration : trace.compared.iterations)
        compared.emplace(iteration.worker, iteration.range.startNs);
    std::vector<std::size_t> counts(hosts.size(), 0);
    for (const Iteration &iteration : trace.iterations) {
        RecordedStep step { iteration.range, {} };
        if (compared.erase({ iteration.worker, iteration.range.startNs }) > 0)
            step.counted = counts[iteration.worker.value]++;
        hosts[iteration.worker.value].steps.push_back(step);
    }
    for (const Track &track : trace.tracks)
        if (track.kind == TrackKind::HostThread)
            hosts[track.worker.value].threads.push_back(&trace.slices[track.id.value]);
    return hosts;
}

StepPhases::StepPhases(const HostRecording &host)
{
    m_steps.reserve(host.steps.size());
    for (const RecordedStep &step : host.steps) {
        m_steps.push_back({ step, Never, step.range.startNs, Never });
        m_counted += step.counted ? 1U : 0U;
    }
    for (const SliceColumns *slices : host.threads)
        visitMarks(*slices, Phase::Backward, [this](Step &step, std::int64_t startNs) {
            step.backwardNs = std::min(step.backwardNs, startNs);
            step.lastBackwardNs = std::max(step.lastBackwardNs, startNs);
            m_hasBackward = true;
        });
    // Gradients are often set to zero, which is the optimizer's, before the forward pass.
    for (const SliceColumns *slices : host.threads)
        visitMarks(*slices, Phase::Optimizer, [](Step &step, std::int64_t startNs) {
            if (startNs >= step.lastBackwardNs)
                step.optimizerNs = std::min(step.optimizerNs, startNs);
        });
}

std::optional<std::size_t> StepPhases::countedAt(std::int64_t ns, bool isDevice) const
{
    const std::optional<std::size_t> index = isDevice ? begunBy(ns) : stepAt(ns);
    return index ? m_steps[*index].of.counted : std::nullopt;
}

Phase StepPhases::at(std::int64_t ns) const
{
    const std::optional<std::size_t> index = stepAt(ns);
    if (!index || m_steps[*index].backwardNs == Never)
        return Phase::None;
    const Step &step = m_steps[*index];
    if (ns < step.backwardNs)
        return Phase::Forward;
    return ns < step.optimizerNs ? Phase::Backward : Phase::Optimizer;
}

std::optional<std::size_t> StepPhases::begunBy(std::int64_t ns) const
{
    const auto next = std::partition_point(m_steps.begin(), m_steps.end(), [ns](const Step &step) {
        return step.of.range.startNs <= ns;
    });
    if (next == m_steps.begin())
        return std::nullopt;
    return static_cast<std::size_t>(next - 1 - m_steps.begin());
}

std::optional<std::size_t> StepPhases::stepAt(std::int64_t ns) const
{
    const std::optional<std::size_t> index = begunBy(ns);
    return index && m_steps[*index].of.range.endNs >= ns ? index : std::nullopt;
}

/// Calls `visit` with each slice of the phase and the step that it begins in.
template <class Visit>
void StepPhases::visitMarks(const SliceColumns &slices, Phase phase, Visit visit)
{
    for (std::size_t row = 0; row < slices.size(); ++row) {
        if (slices.phase[row] != phase)
            continue;
        if (const std::optional<std::size_t> step = stepAt(slices.startNs[row]))
            visit(m_steps[*step], slices.startNs[row]);
    }
}

} // namespace core
