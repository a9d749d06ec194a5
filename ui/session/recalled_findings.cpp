#include "ui/session/recalled_findings.h"

#include "core/base/error.h"
#include "core/project/kept_values.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>
#include <QMessageAuthenticationCode>
#include <QRandomGenerator>
#include <QSettings>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ui {

namespace {

    constexpr std::string_view FindingsKey = "findings";
    constexpr std::size_t MacBytes = 32; ///< SHA-256

    /// Stands before the findings.
    std::string macOf(const FindingsSeal &seal, std::uint64_t stamp, std::string_view findings)
    {
        QMessageAuthenticationCode mac(QCryptographicHash::Sha256, seal.secret);
        mac.addData(seal.program);
        mac.addData(QByteArray::number(qulonglong(stamp)) + '|');
        mac.addData(findings.data(), static_cast<qsizetype>(findings.size()));
        return mac.result().toStdString();
    }

    QByteArray randomSecret()
    {
        std::array<quint32, 8> words {};
        QRandomGenerator::system()->fillRange(words.data(), qsizetype(words.size()));
        return QByteArray(reinterpret_cast<const char *>(words.data()), sizeof(words)).toHex();
    }

} // namespace

FindingsSeal findingsSeal()
{
    const QString key = QStringLiteral("kept/secret");
    QSettings settings;
    QByteArray secret = settings.value(key).toByteArray();
    if (secret.isEmpty()) {
        secret = randomSecret();
        settings.setValue(key, secret);
    }
    const QFileInfo program(QCoreApplication::applicationFilePath());
    return { secret,
             program.filePath().toUtf8() + '|' + QByteArray::number(program.size()) + '|'
                 + QByteArray::number(program.lastModified().toMSecsSinceEpoch()) + '|' };
}

RecalledFindings recallFindings(const std::filesystem::path &project, const FindingsSeal &seal)
{
    try {
        const std::optional<std::string> kept = core::keptBytes(project, FindingsKey);
        if (!kept || kept->size() < MacBytes)
            return {};
        const std::string_view findings = std::string_view(*kept).substr(MacBytes);
        if (macOf(seal, core::contentStamp(project), findings) != kept->substr(0, MacBytes))
            return {};
        core::KeptFindings found = core::findingsFrom(findings);
        return { std::make_shared<const core::Diagnosis>(std::move(found.diagnosis)),
                 std::make_shared<const core::GainIntervals>(std::move(found.gains)) };
    } catch (const core::Error &) {
        return {}; // the analysis that runs says what is wrong with the project
    }
}

void keepFindings(const std::filesystem::path &project, const FindingsSeal &seal,
                  std::uint64_t stamp, const core::KeptFindings &findings)
{
    const std::string bytes = core::findingsBytes(findings);
    core::keepBytes(project, FindingsKey, macOf(seal, stamp, bytes) + bytes);
}

} // namespace ui
