#pragma once

#include "collectors/format/record_scanner.h"
#include "core/import/importer.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"

#include <QDir>
#include <QProcess>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace tests {

/// A process of nccl_job with the plug-in, which records into `folder`. It is started in
/// `workingFolder`, or else in the test's own.
class NcclJobRun
{
public:
    NcclJobRun(const QString &folder, int version, const QStringList &arguments,
               const std::map<QString, QString> &variables = {}, const QString &workingFolder = {})
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : { "RANK", "WORLD_SIZE", "LONGPOLE_QUIET", "LONGPOLE_NCCL_EVENTS",
                                  "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH" })
            environment.remove(QString::fromLatin1(name));
        environment.insert(QStringLiteral("LONGPOLE_OUT"), folder);
        for (const auto &[name, value] : variables)
            environment.insert(name, value);
        m_process.setProcessEnvironment(environment);
        m_process.setWorkingDirectory(workingFolder);
        m_process.start(QStringLiteral(NCCL_JOB),
                        QStringList { QStringLiteral(NCCL_PLUGIN), QString::number(version) }
                            + arguments);
    }

    QProcess &process() { return m_process; }
    /// -1 if it crashed or does not end.
    int exitCode()
    {
        const bool isOver = m_process.waitForFinished(120'000);
        return isOver && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    /// Lines on stderr, after exitCode().
    QStringList said()
    {
        return QString::fromUtf8(m_process.readAllStandardError())
            .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    }

private:
    QProcess m_process;
};

inline std::vector<std::string> recordingsIn(const QString &folder)
{
    std::vector<std::string> paths;
    for (const QFileInfo &file : QDir(folder).entryInfoList({ QStringLiteral("*.nccl.lp") }))
        paths.push_back(file.filePath().toStdString());
    return paths;
}

/// A recording as the format has it, and as the importer understands it.
struct ReadRecording
{
    explicit ReadRecording(const std::string &path)
    {
        std::ifstream stream(path, std::ios::binary);
        const std::string bytes { std::istreambuf_iterator<char>(stream),
                                  std::istreambuf_iterator<char>() };
        scanner.feed(bytes);
        scanner.finish();
        collectors::RecordView record;
        while (scanner.next(record)) {
            ++counts[record.header.kind];
            if (record.header.kind == collectors::RecordDropped)
                dropped += record.as<collectors::DroppedRecord>().count;
        }
        MemoryEntry entry(bytes, 1 << 20);
        entry.setName(path.substr(path.find_last_of('/') + 1));
        const auto importer
            = std::find_if(core::importers().begin(), core::importers().end(),
                           [&](const auto &one) { return one->recognizes(entry.name(), bytes); });
        if (importer != core::importers().end() && (*importer)->name() == "longpole-nccl")
            (*importer)->read(entry, sink, {});
    }

    collectors::RecordScanner scanner;
    std::map<int, std::uint64_t> counts; ///< by RecordKind
    std::uint64_t dropped = 0;
    RecordingSink sink;
};

} // namespace tests
