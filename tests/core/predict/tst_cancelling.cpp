#include "core/base/job_control.h"
#include "core/change/change_text.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>

using namespace core;

/// A prediction stops at whatever moment it is cancelled, and says nothing. On the bundled sample.
class TestCancelling : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aPredictionStopsAtAnyMoment_data();
    void aPredictionStopsAtAnyMoment();

private:
    std::int64_t predictedNs(const std::string &setting, const JobControl &control) const
    {
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ setting }), control)
            .predictedNs;
    }

    LoadedProject m_loaded;
};

void TestCancelling::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
}

void TestCancelling::aPredictionStopsAtAnyMoment_data()
{
    QTest::addColumn<QByteArray>("setting");
    for (const char *setting : { "comm_scale=2", "bucket_cap_mb=5", "expand=1", "schedule=p3",
                                 "ideal_peers=1", "world_size=4" })
        QTest::newRow(setting) << QByteArray(setting);
}

void TestCancelling::aPredictionStopsAtAnyMoment()
{
    QFETCH(const QByteArray, setting);
    int looks = 0, last = 0; ///< how often it asked; 0: never cancelled
    const JobControl control(
        [&] {
            ++looks;
            return last > 0 && looks >= last;
        },
        {});
    const std::int64_t wholeNs = predictedNs(setting.toStdString(), control);
    const int all = looks;
    QVERIFY2(all >= 3, std::to_string(all).c_str());
    for (int part = 0; part <= 8; ++part) {
        last = 1 + (all - 1) * part / 8;
        looks = 0;
        QVERIFY_THROWS_EXCEPTION(Cancelled, predictedNs(setting.toStdString(), control));
        QCOMPARE(looks, last); // it did not go on
    }
    last = 0;
    QCOMPARE(predictedNs(setting.toStdString(), control), wholeNs);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCancelling)
#include "tst_cancelling.moc"
