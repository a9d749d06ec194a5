#include "core/base/error.h"
#include "core/export/exported_config.h"
#include "tests/core/optimize/sample_project.h"

#include <QTest>

using namespace core;

/// On the sample, whose buckets of 25 MiB are too large.
class ExportedConfigTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { m_predictor = m_sample.predictor(); }
    void theEnvironmentStaysInThePrediction();
    void anEnvironmentAloneIsNoConfig();
    void boundariesGiveWayToSizes();
    void theAlgorithmIsSetByWhoCan();
    void whatACompilerJoinsIsLeftOut();
    void aCompilersFilePredictsWhatIsJoined();
    void whatATargetCannotSayIsRefused();

private:
    ExportedConfig exported(const Strategy &strategy)
    {
        return exportConfig(*configTargetNamed("pytorch-ddp"), strategy, *m_predictor, {});
    }

    tests::SampleProject m_sample;
    std::optional<Predictor> m_predictor;
};

/// The file sets buckets; the rate for which they were found is not its to set.
void ExportedConfigTest::theEnvironmentStaysInThePrediction()
{
    const Strategy environment { { "bandwidth_mbit", 1000.0 } };
    Strategy strategy = environment;
    strategy.set({ "bucket_cap_mb", 10.0 });
    strategy.set({ "first_bucket_mb", 1.0 });
    const ExportedConfig found = exported(strategy);
    QVERIFY(found.file.leftOut.empty());
    QCOMPARE(std::optional(found.prediction.predictedNs), m_predictor->iterationNs(strategy, {}));
    QCOMPARE(std::optional(found.environmentNs), m_predictor->iterationNs(environment, {}));
    for (const char *setting : { " --set bandwidth_mbit=1000", " --set bucket_cap_mb=10" })
        QVERIFY(found.settings.find(setting) != std::string::npos);
    QVERIFY(found.file.text.find("longpole compare PROJECT LATER" + found.settings)
            != std::string::npos);
}

void ExportedConfigTest::anEnvironmentAloneIsNoConfig()
{
    try {
        exported({ { "bandwidth_mbit", 1000.0 } });
        QFAIL("It was exported.");
    } catch (const Error &error) {
        QVERIFY2(std::string(error.what()).find("no config file sets") != std::string::npos,
                 error.what());
    }
}

void ExportedConfigTest::boundariesGiveWayToSizes()
{
    const ExportedConfig found = exported({ { "gradients", std::string("1,1,1,15") } });
    QCOMPARE(found.notes.size(), std::size_t { 1 });
    QVERIFY(found.notes.front().find("two sizes cannot say these buckets") != std::string::npos);
    QVERIFY(found.said.number("bucket_cap_mb").has_value());
}

/// NCCL's tuner sets it; DDP's file leaves it out, and the prediction is without it.
void ExportedConfigTest::theAlgorithmIsSetByWhoCan()
{
    const Strategy algorithm { { "collective", std::string("tree") } };
    const ExportedConfig tuned
        = exportConfig(*configTargetNamed("nccl-tuner"), algorithm, *m_predictor, {});
    QVERIFY(tuned.said == algorithm);
    QCOMPARE(std::optional(tuned.prediction.predictedNs), m_predictor->iterationNs(algorithm, {}));
    QCOMPARE(tuned.environmentNs, tuned.prediction.unchangedNs);
    Strategy both = algorithm;
    both.set({ "bucket_cap_mb", 10.0 });
    const ExportedConfig ddp = exported(both);
    QVERIFY(!ddp.said.has("collective"));
    QCOMPARE(ddp.file.leftOut.size(), std::size_t { 1 });
    QVERIFY(ddp.file.leftOut.front().starts_with("collective=tree: "));
}

/// DDP's file does not set which operations a compiler joins: the prediction is without it, too.
void ExportedConfigTest::whatACompilerJoinsIsLeftOut()
{
    const Strategy buckets { { "bucket_cap_mb", 10.0 } };
    Strategy strategy = buckets;
    strategy.set({ "op_fusion", std::string("xla") });
    const ExportedConfig found = exported(strategy);
    QVERIFY(!found.said.has("op_fusion"));
    QCOMPARE(found.file.leftOut.size(), std::size_t { 1 });
    QVERIFY(found.file.leftOut.front().starts_with("op_fusion=xla: "));
    QCOMPARE(found.environmentNs, found.prediction.unchangedNs);
    QVERIFY(found.prediction.predictedNs < *m_predictor->iterationNs(strategy, {}));
}

/// XLA joins operations of a bucket where the strategy names just buckets, too. How much that saves
/// is no setting, but belongs to the prediction.
void ExportedConfigTest::aCompilersFilePredictsWhatIsJoined()
{
    const ConfigTarget &xla = *configTargetNamed("xla");
    const Strategy buckets { { "gradients", std::string("3,1,1,1,6,6") } };
    Strategy joined = buckets;
    joined.set({ "op_fusion", std::string("auto") });
    const ExportedConfig plain = exportConfig(xla, buckets, *m_predictor, {});
    QVERIFY(plain.said == joined);
    QCOMPARE(std::optional(plain.prediction.predictedNs), m_predictor->iterationNs(joined, {}));
    joined.set({ "op_fusion_saving", 0.5 });
    const ExportedConfig saving = exportConfig(xla, joined, *m_predictor, {});
    QCOMPARE(saving.said.number("op_fusion_saving"), std::optional(0.5));
    QVERIFY(saving.file.leftOut.empty());
    QVERIFY(saving.settings.find(" --set op_fusion_saving=0.5") != std::string::npos);
    const ExportedConfig clusters
        = exportConfig(*configTargetNamed("tensorflow-xla"),
                       { { "op_fusion", std::string("xla") } }, *m_predictor, {});
    QCOMPARE(std::optional(clusters.prediction.predictedNs),
             m_predictor->iterationNs({ { "op_fusion", std::string("xla") } }, {}));
}

/// The message says why, and what to do.
void ExportedConfigTest::whatATargetCannotSayIsRefused()
{
    try {
        exportConfig(*configTargetNamed("tensorflow-xla"), { { "op_fusion", std::string("auto") } },
                     *m_predictor, {});
        QFAIL("It was exported.");
    } catch (const Error &error) {
        const std::string text = error.what();
        for (const char *part :
             { "op_fusion=auto: ", "tf.function(jit_compile=True)", "Targets: " })
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ExportedConfigTest)
#include "tst_exported_config.moc"
