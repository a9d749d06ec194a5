#pragma once

#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <vector>

namespace core {

/// The steps that an XSpace marks: events of the host with a step_num, as jax.profiler's
/// StepTraceAnnotation and Keras write them; else the `Steps` lines of the devices, which the
/// profiler derives.
class XPlaneSteps
{
public:
    void addHostStep(std::int64_t number, TimeRange range);
    /// A step ends when it has ended on every device.
    void addDeviceStep(std::int64_t number, TimeRange range);
    /// Steps in order of time; where two overlap the later one begins at the earlier one's end.
    void give(TraceSink &sink, WorkerId worker) const;

private:
    using Steps = std::map<std::int64_t, TimeRange>;

    static void add(Steps &steps, std::int64_t number, TimeRange range);

    Steps m_host, m_device;
};

} // namespace core
