#pragma once

#include "collectors/format/records.h"

#include <QByteArray>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tests {

/// All of a file.
struct Recording
{
    collectors::FileHeader header {};
    std::map<std::uint32_t, std::string> texts;
    std::vector<collectors::KernelRecord> kernels;
    std::vector<std::pair<std::uint32_t, collectors::ApiCallRecord>> calls; ///< with their threads
    std::vector<collectors::MemcpyRecord> copies;
    std::vector<collectors::MemsetRecord> memsets;
    std::vector<collectors::SyncRecord> syncs;
    std::vector<collectors::GraphLaunchRecord> graphLaunches;
    std::vector<collectors::GraphEdgeRecord> edges;
    std::vector<collectors::GraphNodeRecord> nodes;
    std::vector<std::pair<std::uint32_t, collectors::RangeRecord>> ranges;
    std::vector<collectors::IterationRecord> iterations;
    std::map<std::uint64_t, std::uint64_t> externalIds;
    std::uint64_t dropped = 0, skippedBytes = 0;
    bool isClosed = false;

    std::string text(std::uint32_t id) const
    {
        const auto found = texts.find(id);
        return found != texts.end() ? found->second : "?";
    }
};

/// A run of the program (cuda_program_main.cpp) with the collector, the stand-in for libcupti and a
/// folder of its own.
class ProgramRun
{
public:
    static constexpr int ExitCode = 3; ///< what the program returns

    ProgramRun();

    /// A variable of the program's environment.
    ProgramRun &set(const char *name, const QString &value);
    ProgramRun &unset(const char *name);
    void start(const QStringList &arguments);
    /// The exit code; -1 if it crashed.
    int run(const QStringList &arguments);

    /// Of a file beside the recordings' folder.
    QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }
    /// The recordings' names.
    QStringList files() const;
    QByteArray bytes(int index = 0) const;
    Recording recording(int index = 0) const;

    QProcess process;
    QString errors, output;

private:
    QString folder() const { return m_folder.filePath(QStringLiteral("out")); }

    QTemporaryDir m_folder;
};

std::vector<std::string> namesOfRanges(const Recording &recording);

} // namespace tests
