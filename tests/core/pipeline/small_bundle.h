#pragma once

#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <QStringList>
#include <QTemporaryDir>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace tests {

/// A trace of one op, as torch.profiler writes it; `rank` is the distributedInfo or nothing.
inline std::string tinyTrace(std::optional<int> rank = {}, int durationUs = 20)
{
    const std::string info = rank
        ? R"("distributedInfo": {"backend": "gloo", "rank": )" + std::to_string(*rank) + R"(},)"
        : "";
    return R"({"schemaVersion": 1, )" + info + R"( "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 2,
         "ts": 100, "dur": 50},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2,
         "ts": 150, "dur": )"
        + std::to_string(durationUs) + "}]}";
}

/// "error duplicate-rank, info no-sync-events".
inline QString codes(const std::vector<core::Diagnostic> &diagnostics)
{
    QStringList list;
    for (const core::Diagnostic &diagnostic : diagnostics)
        list.append(QString::fromStdString(std::string(core::severityName(diagnostic.severity))
                                           + " " + diagnostic.code));
    return list.join(QStringLiteral(", "));
}

/// A folder that becomes a bundle, and its project beside it.
class SmallBundle
{
public:
    SmallBundle() { std::filesystem::create_directory(folder()); }

    void write(const std::string &name, const std::string &text) const
    {
        std::filesystem::create_directories((folder() / name).parent_path());
        std::ofstream(folder() / name, std::ios::binary) << text;
    }
    std::filesystem::path folder() const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / "bundle";
    }
    std::filesystem::path project() const { return folder().parent_path() / "p.longpole"; }
    core::ImportReport import(const core::ImportOptions &options = {}) const
    {
        return core::importBundle({ folder() }, project(), options, {});
    }
    /// The error's message; empty if the import worked.
    QString refusal() const { return refusalOf({ "" }); }
    /// The same of some of the bundle's files, into another project.
    QString refusalOf(const std::vector<std::string> &names) const
    {
        std::vector<std::filesystem::path> files;
        for (const std::string &name : names)
            files.push_back(name.empty() ? folder() : folder() / name);
        try {
            core::importBundle(files, folder().parent_path() / "refused.longpole", {}, {});
        } catch (const core::Error &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }
    /// Everything beside the bundle: the project and what belongs to it.
    qsizetype filesLeft() const
    {
        return std::distance(std::filesystem::directory_iterator(folder().parent_path()), {}) - 1;
    }
    /// What files of the bundle, not the traces themselves, tell about the job.
    std::vector<std::string> descriptions() const
    {
        std::vector<std::string> texts;
        for (const core::JobMetadata &one : core::ProjectReader(project()).readTrace({}).metadata)
            if (one.name.find('#') == std::string::npos)
                texts.push_back(one.text);
        return texts;
    }
    std::vector<int> ranks() const
    {
        std::vector<int> all;
        const core::ProjectReader reader(project());
        for (const core::Worker &worker : reader.info().workers)
            all.push_back(worker.rank);
        return all;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace tests
