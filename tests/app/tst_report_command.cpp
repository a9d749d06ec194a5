#include "longpole_program.h"

#include <QFile>
#include <QFileInfo>

using namespace tests;

/// `longpole report` on the bundled sample: its formats, and what it refuses.
class TestReportCommand : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void itWritesEachFormat_data();
    void itWritesEachFormat();
    void itShowsAWhatIf();
    void itRefuses_data();
    void itRefuses();

private:
    SampleFolder m_folder;
};

void TestReportCommand::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
}

void TestReportCommand::itWritesEachFormat_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("html") << QStringLiteral("r.html") << QByteArray("<!DOCTYPE html>");
    QTest::newRow("pdf") << QStringLiteral("r.PDF") << QByteArray("%PDF-");
}

void TestReportCommand::itWritesEachFormat()
{
    QFETCH(const QString, file);
    QFETCH(const QByteArray, start);
    const QString window = QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).absolutePath()
        + QStringLiteral("/longpole-ui");
    if (file.endsWith(QLatin1String("PDF")) && !QFileInfo::exists(window))
        QSKIP("needs longpole-ui beside longpole");
    const std::string path = m_folder.path(qPrintable(file));
    const Run run = longpole({ "report", m_folder.project(), "-o", path });
    QVERIFY2(run.code == 0, run.text());
    QFile written(QString::fromStdString(path));
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray text = written.readAll();
    QVERIFY(text.startsWith(start));
    const QByteArray lastPage = start.startsWith("%PDF") ? "/Count 2" : "page 2 of 2";
    QVERIFY(text.contains(lastPage));
}

void TestReportCommand::itShowsAWhatIf()
{
    const std::string path = m_folder.path("w.html");
    const Run run
        = longpole({ "report", m_folder.project(), "-o", path, "--set", "bucket_cap_mb=5" });
    QVERIFY2(run.code == 0, run.text());
    QFile written(QString::fromStdString(path));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll().contains("Predicted with bucket_cap_mb=5"));
}

void TestReportCommand::itRefuses_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("setting");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("another format")
        << QStringLiteral("r.docx") << QStringLiteral("bucket_cap_mb=5") << 2
        << QByteArray("the name's end tells the format: .html or .pdf.");
    QTest::newRow("a setting that is none")
        << QStringLiteral("n.html") << QStringLiteral("a=5") << 2 << QByteArray("a");
    QTest::newRow("what the trace does not support")
        << QStringLiteral("n.html") << QStringLiteral("ideal_pipeline=1") << 1
        << QByteArray("ideal_pipeline");
}

void TestReportCommand::itRefuses()
{
    QFETCH(const QString, file);
    QFETCH(const QString, setting);
    QFETCH(const int, code);
    QFETCH(const QByteArray, message);
    const std::string path = m_folder.path(qPrintable(file));
    const Run run
        = longpole({ "report", m_folder.project(), "-o", path, "--set", setting.toStdString() });
    QVERIFY2(run.code == code, run.text());
    QVERIFY2(run.err.contains(message), run.text());
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReportCommand)
#include "tst_report_command.moc"
