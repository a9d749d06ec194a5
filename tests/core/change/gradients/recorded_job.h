#pragma once

#include "core/pipeline/pipeline.h"
#include "tests/support/generate/gpu_ddp_job.h"

#include <QTemporaryDir>

#include <filesystem>

namespace tests {

/// As imported from what torch.profiler would record of it.
inline core::LoadedProject recorded(const GpuDdpJob &job)
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    writeGpuDdpJob(job, path / "traces");
    core::importBundle({ path / "traces" }, path / "job.longpole", {}, {});
    return core::loadProject(path / "job.longpole", {});
}

} // namespace tests
