#pragma once

#include <QFile>
#include <QString>

#include <string>

namespace tests {

/// The contents of a file of tests/data; empty if there is none.
inline std::string fileText(const char *name)
{
    QFile file(QStringLiteral(LONGPOLE_SOURCE_DIR "/tests/data/") + QString::fromUtf8(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// Empty if `actual` is the contents of that file of tests/data. Else a text for QFAIL, and
/// `actual` lies in the build folder for comparing.
inline QString differenceFromGolden(const char *name, const std::string &actual)
{
    if (actual == fileText(name))
        return {};
    const QString copy = QStringLiteral(LONGPOLE_BINARY_DIR "/")
        + QString::fromUtf8(name).replace(QLatin1Char('/'), QLatin1Char('-'))
        + QStringLiteral(".actual");
    QFile out(copy);
    if (out.open(QIODevice::WriteOnly))
        out.write(actual.data(), static_cast<qint64>(actual.size()));
    return QStringLiteral("differs from %1; compare with %2:\n%3")
        .arg(QString::fromUtf8(name), copy, QString::fromStdString(actual));
}

} // namespace tests
