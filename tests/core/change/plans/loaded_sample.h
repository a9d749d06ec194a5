#pragma once

#include "core/change/plans/plan_request.h"
#include "core/pipeline/pipeline.h"

#include <QTemporaryDir>

#include <filesystem>
#include <memory>

namespace tests {

/// The bundled sample: two ranks of DDP on the CPU.
inline core::LoadedProject loadedSample()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {},
                       {});
    return core::loadProject(project, {});
}

} // namespace tests
