#pragma once

#include "core/pipeline/pipeline.h"
#include "core/predict/predictor.h"
#include "tests/support/generate/published_models.h"

#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>
#include <string>

namespace tests {

/// Training of a published model, as imported from what torch.profiler would record of it.
class PublishedJob
{
public:
    PublishedJob(const std::string &name, int ranks, int iterations = 3)
    {
        const std::vector<PublishedModel> models = publishedModels();
        const auto model = std::find_if(models.begin(), models.end(),
                                        [&name](const auto &one) { return one.name == name; });
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.path().toStdString();
        writeGpuDdpJob(publishedJob(*model, ranks, iterations), path / "traces");
        core::importBundle({ path / "traces" }, path / "job.longpole", {}, {});
        m_project = core::loadProject(path / "job.longpole", {});
    }

    const core::LoadedProject &project() const { return m_project; }
    core::Predictor predictor() const
    {
        return { *m_project.trace, m_project.graph, core::JobControl {} };
    }

private:
    core::LoadedProject m_project;
};

} // namespace tests
