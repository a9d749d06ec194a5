#include "core/export/config_target.h"
#include "core/export/config_values.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class ConfigTargetsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatIsReadBackIsWhatWasMeant_data();
    void whatIsReadBackIsWhatWasMeant();
    void whatCannotBeSaidIsTold();
    void bucketsBecomeSizesWhereSomeMakeThem();
    void bucketsThatNoSizesMakeAreTold();
    void commentsStandFirst();

private:
    ConfigFile write(const char *target, const Strategy &strategy) const
    {
        return configTargetNamed(target)->write(
            { m_predictor->job(), strategy, { "Predicted iteration: 5 ms." } });
    }

    tests::SampleProject m_sample;
    std::optional<Predictor> m_predictor;
};

Q_DECLARE_METATYPE(Strategy)

void ConfigTargetsTest::initTestCase()
{
    m_predictor = m_sample.predictor();
}

void ConfigTargetsTest::whatIsReadBackIsWhatWasMeant_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<Strategy>("strategy");
    const auto row = [](const char *target, const Strategy &strategy) {
        QTest::newRow(target) << QString::fromLatin1(target) << strategy;
    };
    row("pytorch-ddp",
        { { "bucket_cap_mb", 2.5 }, { "first_bucket_mb", 0.1 }, { "compression", 2.0 } });
    row("huggingface", { { "bucket_cap_mb", 7.0 } });
    row("lightning", { { "bucket_cap_mb", 1.0 / 3 }, { "compression", 2.0 } });
    row("horovod", { { "fusion_threshold_bytes", 33554432.0 }, { "cycle_time_ms", 3.5 } });
    row("byteps",
        { { "schedule", std::string("p3") },
          { "partition_bytes", 4096000.0 },
          { "credit_bytes", 16384000.0 } });
}

void ConfigTargetsTest::whatIsReadBackIsWhatWasMeant()
{
    QFETCH(const QString, target);
    QFETCH(const Strategy, strategy);
    const ConfigTarget *const found = configTargetNamed(target.toStdString());
    QVERIFY(found != nullptr);
    const ConfigFile file = found->write({ m_predictor->job(), strategy, {} });
    QVERIFY(found->read(file.text, m_predictor->job()) == strategy);
}

void ConfigTargetsTest::whatCannotBeSaidIsTold()
{
    const ConfigFile file
        = write("huggingface", { { "bucket_cap_mb", 2.6 }, { "compression", 2.0 } });
    QCOMPARE(file.leftOut.size(), std::size_t { 2 });
    QVERIFY(file.text.find("\"ddp_bucket_cap_mb\": 3") != std::string::npos);
    QCOMPARE(write("pytorch-ddp", { { "compression", 4.0 } }).leftOut.size(), std::size_t { 1 });
    QCOMPARE(write("pytorch-ddp", { { "bandwidth_mbit", 4.0 } }).leftOut.size(), std::size_t { 1 });
}

/// The sample's tensors begin with 40 B, 40 KiB, 4 KiB and 4 MiB.
void ConfigTargetsTest::bucketsBecomeSizesWhereSomeMakeThem()
{
    const ConfigFile file = write("pytorch-ddp", { { "gradients", std::string("4,2,12") } });
    QVERIFY(file.leftOut.empty());
    const Strategy said = configTargetNamed("pytorch-ddp")->read(file.text, m_predictor->job());
    QCOMPARE(m_predictor->predict(said, {}).predictedNs,
             m_predictor->predict({ { "gradients", std::string("4,2,12") } }, {}).predictedNs);
}

void ConfigTargetsTest::bucketsThatNoSizesMakeAreTold()
{
    const ConfigFile file = write("pytorch-ddp", { { "gradients", std::string("4,1,1,12") } });
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    QVERIFY(file.leftOut.front().find("4,1,1,12") != std::string::npos);
}

void ConfigTargetsTest::commentsStandFirst()
{
    for (const char *target : { "pytorch-ddp", "lightning", "horovod", "byteps" })
        QVERIFY(write(target, {}).text.starts_with("# Predicted iteration: 5 ms.\n"));
}

LONGPOLE_TEST(ConfigTargetsTest)
#include "tst_config_targets.moc"
