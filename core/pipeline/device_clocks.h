#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"

namespace core {

/// Profilers convert the devices' times to the hosts' clock, and are off by some microseconds
/// (Kineto by up to 80 us in public traces): kernels begin before their launch, or end after the
/// host's wait for them has returned. Brings both together: the least shift with which nothing
/// begins before its launch, and with which waits return after what they waited for. The devices'
/// times of each worker stay where its alignment has them, as ranks are aligned by their devices;
/// its hosts' move. Tells it in Trace::faults. Throws Cancelled.
void joinDeviceClocks(Trace &trace, const JobControl &control);

} // namespace core
