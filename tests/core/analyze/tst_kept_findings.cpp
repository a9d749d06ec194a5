#include "core/analyze/diagnosis_json.h"
#include "core/analyze/kept_findings.h"
#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace core;

/// The kept analysis is the one that was found.
class TestKeptFindings : public QObject
{
    Q_OBJECT

private slots:
    void whatIsReadIsWhatWasFound_data();
    void whatIsReadIsWhatWasFound();
    void damageIsAnError();

private:
    QTemporaryDir m_folder;
};

namespace {

/// All that is reported, without the efficiencies of the self-replay.
std::string reportedText(const Diagnosis &diagnosis)
{
    nlohmann::ordered_json all = toJson(diagnosis);
    all.erase("scheduling");
    return all.dump();
}

} // namespace

void TestKeptFindings::whatIsReadIsWhatWasFound_data()
{
    QTest::addColumn<QString>("path");
    QTest::newRow("sample") << QStringLiteral(LONGPOLE_SOURCE_DIR
                                              "/resources/samples/vgg-w2-500mbit-b25");
    if (const auto shared = tests::sharedData()) {
        const QString data = QString::fromStdString((*shared / "data" / "real").string());
        QTest::newRow("BytePS") << data + QStringLiteral("/byteps/traces");
        QTest::newRow("Horovod") << data + QStringLiteral("/horovod/tf-logs");
    }
}

void TestKeptFindings::whatIsReadIsWhatWasFound()
{
    QFETCH(QString, path);
    const std::filesystem::path project
        = m_folder
              .filePath(QString::fromUtf8(QTest::currentDataTag()) + QStringLiteral(".longpole"))
              .toStdString();
    importBundle({ path.toStdString() }, project, {}, {});
    const LoadedProject loaded = loadProject(project, {});
    KeptFindings found { diagnose(*loaded.trace, loaded.graph, {}), {} };
    found.gains = gainIntervals(found.diagnosis, {});
    const std::string bytes = findingsBytes(found);
    const KeptFindings read = findingsFrom(bytes);
    QVERIFY(findingsBytes(read) == bytes);
    QCOMPARE(reportedText(read.diagnosis), reportedText(found.diagnosis));
    QCOMPARE(read.diagnosis.selfReplay.predictedNs, found.diagnosis.selfReplay.predictedNs);
    QCOMPARE(read.diagnosis.selfReplay.periodLength(), found.diagnosis.selfReplay.periodLength());
    QVERIFY(read.diagnosis.selfReplay.criticalPath == found.diagnosis.selfReplay.criticalPath);
    QCOMPARE(read.gains.size(), found.gains.size());
    QCOMPARE(read.diagnosis.bottlenecks.size(), found.diagnosis.bottlenecks.size());
    for (std::size_t i = 0; i < read.gains.size(); ++i) {
        QVERIFY(read.diagnosis.bottlenecks[i].strategy.changes
                == found.diagnosis.bottlenecks[i].strategy.changes);
        QCOMPARE(read.gains[i].interval.has_value(), found.gains[i].interval.has_value());
        QCOMPARE(read.gains[i].unknown, found.gains[i].unknown);
        if (read.gains[i].interval)
            QCOMPARE(read.gains[i].interval->lowNs, found.gains[i].interval->lowNs);
    }
}

void TestKeptFindings::damageIsAnError()
{
    const std::string bytes = findingsBytes({});
    QVERIFY_THROWS_EXCEPTION(Error, findingsFrom({}));
    QVERIFY_THROWS_EXCEPTION(Error, findingsFrom(bytes + 'x'));
    for (std::size_t size = 0; size < bytes.size(); size += 7)
        QVERIFY_THROWS_EXCEPTION(Error, findingsFrom(bytes.substr(0, size)));
    std::string huge = bytes;
    huge.replace(0, 8, std::string(8, '\x7f')); // the verdict's length
    QVERIFY_THROWS_EXCEPTION(Error, findingsFrom(huge));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestKeptFindings)
#include "tst_kept_findings.moc"
