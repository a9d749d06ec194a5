#pragma once

#include "core/pipeline/pipeline.h"
#include "ui/session/session.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace tests {

/// The bundled sample, opened in a session of its own.
class OpenedSample
{
public:
    OpenedSample()
    {
        core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                           path().toStdString(), {}, {});
    }

    QString path() const { return m_folder.filePath(QStringLiteral("sample.longpole")); }

    /// A copy that nobody has edited, analysed.
    std::unique_ptr<ui::Session> open() const
    {
        constexpr int TimeoutMs = 60'000;
        const QString copy = m_folder.filePath(QStringLiteral("copy.longpole"));
        QFile::remove(copy);
        QFile::copy(path(), copy);
        auto session = std::make_unique<ui::Session>();
        session->openProject(copy);
        if (!QTest::qWaitFor([&session] { return session->isIdle() && session->diagnosis(); },
                             TimeoutMs))
            return nullptr;
        return session;
    }

private:
    QTemporaryDir m_folder;
};

} // namespace tests
