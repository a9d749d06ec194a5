#pragma once

#include "core/pipeline/pipeline.h"

#include <QTemporaryDir>

#include <filesystem>
#include <memory>

namespace tests {

/// The bundled sample, or another bundle, imported.
class SampleProject
{
public:
    explicit SampleProject(const std::filesystem::path &bundle
                           = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25")
        : m_file(std::filesystem::path(m_folder.path().toStdString()) / "sample.longpole")
    {
        core::importBundle({ bundle }, m_file, {}, {});
        m_loaded = core::loadProject(m_file, {});
        m_reader = std::make_unique<core::ProjectReader>(m_file);
    }

    const core::LoadedProject &loaded() const { return m_loaded; }
    core::Predictor predictor() const { return core::predictorOf(m_loaded, *m_reader, {}); }

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_file;
    core::LoadedProject m_loaded;
    std::unique_ptr<core::ProjectReader> m_reader;
};

} // namespace tests
