#pragma once

#include "core/import/step_ranges.h"

#include <string>
#include <utility>

namespace core {

/// The steps that an XSpace marks: events of the host with a step_num, as jax.profiler's
/// StepTraceAnnotation and Keras write them; else the `Steps` lines of the devices, which the
/// profiler derives.
class XPlaneSteps
{
public:
    /// The sink must outlive the steps.
    XPlaneSteps(TraceSink &sink, std::string file)
        : m_room(sink, std::move(file))
        , m_host(m_room)
        , m_device(m_room)
    {
    }
    XPlaneSteps(const XPlaneSteps &) = delete;
    XPlaneSteps &operator=(const XPlaneSteps &) = delete;

    void addHostStep(std::int64_t number, TimeRange range) { m_host.add(number, range); }
    /// A step ends when it has ended on every device.
    void addDeviceStep(std::int64_t number, TimeRange range) { m_device.add(number, range); }
    void give(TraceSink &sink, WorkerId worker) const
    {
        (m_host.isEmpty() ? m_device : m_host).deliverMarked(sink, worker);
    }

private:
    StepRoom m_room;
    StepRanges m_host, m_device;
};

} // namespace core
