#include "core/change/change_text.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/unit_test.h"
#include "ui/main_window/report_export.h"
#include "ui/session/session.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int ReportTimeoutMs = 120'000;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// File > Report of the sample.
class TestReportExport : public QObject
{
    Q_OBJECT

private slots:
    void withoutAnAnalysisItSaysSo();
    void itWritesBothFormatsWithTheWhatIf();
};

void TestReportExport::withoutAnAnalysisItSaysSo()
{
    Session session;
    ReportExport report(session, nullptr);
    QSignalSpy failed(&report, &ReportExport::failed);
    report.write(QStringLiteral("r.html"));
    QCOMPARE(failed.count(), 1);
}

void TestReportExport::itWritesBothFormatsWithTheWhatIf()
{
    const QTemporaryDir folder;
    const QString project = folder.filePath(QStringLiteral("sample.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       project.toStdString(), {}, {});
    Session session;
    session.openProject(project);
    QTRY_VERIFY_WITH_TIMEOUT(session.diagnosis() != nullptr, ReportTimeoutMs);
    session.predict(core::parseStrategy({ "bucket_cap_mb=5" }));
    QTRY_VERIFY_WITH_TIMEOUT(session.prediction() != nullptr && session.prediction()->isJudged,
                             ReportTimeoutMs);
    ReportExport report(session, nullptr);
    QSignalSpy written(&report, &ReportExport::written), failed(&report, &ReportExport::failed);
    const QString page = folder.filePath(QStringLiteral("r.html"));
    report.write(page);
    QTRY_COMPARE_WITH_TIMEOUT(written.count() + failed.count(), 1, ReportTimeoutMs);
    QCOMPARE(written.count(), 1);
    const QByteArray html = contentOf(page);
    QVERIFY(html.startsWith("<!DOCTYPE html>"));
    QVERIFY(html.contains("Predicted with bucket_cap_mb=5"));
    QVERIFY(!html.contains(folder.path().toUtf8()));
    const QString paper = folder.filePath(QStringLiteral("r.pdf"));
    report.write(paper);
    QTRY_COMPARE_WITH_TIMEOUT(written.count() + failed.count(), 2, ReportTimeoutMs);
    QVERIFY(contentOf(paper).startsWith("%PDF-"));
    QVERIFY(contentOf(paper).contains("/ToUnicode")); // the text can be searched and copied
    QVERIFY(!contentOf(paper).contains(folder.path().toUtf8()));
    report.write(folder.filePath(QStringLiteral("absent/r.html")));
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, ReportTimeoutMs);
    QVERIFY(failed[0][0].toString().contains(QStringLiteral("cannot write")));
}

LONGPOLE_TEST(TestReportExport)
#include "tst_report_export.moc"
