#pragma once

#include "core/bundle/bundle.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <memory>

namespace tests {

/// A folder of a test's own, what it writes there, and bundles that it opens of it.
class ScratchFolder
{
protected:
    QString path(const QString &name) const { return m_dir.filePath(name); }
    std::filesystem::path fsPath(const QString &name) const { return path(name).toStdString(); }

    std::unique_ptr<core::Bundle> open(const QString &name) const
    {
        return core::openBundle({ fsPath(name) });
    }

    void write(const QString &name, const QByteArray &content) const
    {
        QDir().mkpath(QFileInfo(path(name)).path());
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }

    /// Names of the items, without the folder's.
    QStringList names(const core::Bundle &bundle) const
    {
        QStringList list;
        for (const core::BundleItem &item : bundle.items())
            list << QString::fromStdString(item.name).remove(m_dir.path() + QLatin1Char('/'));
        return list;
    }

    /// Names of the items, without the archive's.
    QStringList members(const QString &archive) const
    {
        QStringList list;
        const auto bundle = open(archive);
        for (const core::BundleItem &item : bundle->items())
            list << QString::fromStdString(item.name).mid(path(archive).size() + 1);
        return list;
    }

    QTemporaryDir m_dir;
};

} // namespace tests
