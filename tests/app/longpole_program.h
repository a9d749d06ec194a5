#pragma once

#include <QByteArray>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// The program itself, as a user runs it.

namespace tests {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline const std::string Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";

struct Run
{
    int code = -1;
    QByteArray out, err;

    Json json() const { return Json::parse(out.toStdString(), nullptr, false); }
    /// What to print where a check of this run fails.
    QByteArray text() const
    {
        return "exit code " + QByteArray::number(code) + "\nstdout: " + out.left(2000)
            + "\nstderr: " + err.left(2000);
    }
};

inline void start(QProcess &process, const Words &arguments)
{
    QStringList list;
    for (const std::string &word : arguments)
        list.append(QString::fromStdString(word));
    process.start(QStringLiteral(LONGPOLE_PROGRAM), list);
}

inline Run longpole(const Words &arguments)
{
    QProcess process;
    start(process, arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return { -1, process.readAllStandardOutput(), "crashed or does not end" };
    return { process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError() };
}

/// A folder that goes with the object, and in it the project of the bundled sample.
class SampleFolder
{
public:
    std::string path() const { return m_folder.path().toStdString(); }
    std::string path(const char *name) const
    {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }
    std::string project() const { return path("sample.longpole"); }
    /// Imports the sample.
    Run import() const { return longpole({ "import", Sample, "-o", project() }); }
    /// Files in the folder whose names begin so.
    int filesLike(std::string_view prefix) const
    {
        int count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(m_folder.path().toStdString()))
            count += entry.path().filename().string().starts_with(prefix) ? 1 : 0;
        return count;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace tests
