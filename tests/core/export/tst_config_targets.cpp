#include "core/base/error.h"
#include "core/change/gradients/schedule.h"
#include "core/export/config_target.h"
#include "core/export/config_values.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QFile>
#include <QTest>

#include <algorithm>
#include <set>

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
    void deepspeedCountsElements();
    void bucketsThatDeepspeedCannotMakeAreTold();
    void deepspeedTellsItsStages();
    void dproNumbersTensorsFromTheFirstVariable();
    void dproTakesGroupsInOrderOnly();
    void bytepsTakesThePartitionsOfThePrediction();
    void bytepsOrdersGoWithACredit();
    void byteschedulerCountsParameters();
    void byteschedulerAlwaysHasACredit();
    void byteschedulersDefaultsAreWritten();
    void dproCutsTensorsByTheirNumber();
    void tictacListsPrioritiesOfNamedTensors();
    void tictacSendsWholeTensors();
    void ncclsTunerTakesRulesOfTenFields();
    void ncclHasRingsAndTreesOnly();
    void xlaStatesItsThresholdAndVersion();
    void bucketsThatXlaCannotMakeAreTold();
    void compilersHaveNoWordsForParts();
    void inductorTakesAnyBuckets();
    void damagedFilesAreRefused();
    void horovodsGroupsComeWithNames();
    void theFirstBucketGoesByTheVersionOfPytorch_data();
    void theFirstBucketGoesByTheVersionOfPytorch();
    void bucketsThatATargetHasNoWordsForAreLeftOut();
    void theHelpPageNamesAllTargets();

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
    row("huggingface", { { "bucket_cap_mb", 7.0 }, { "first_bucket_mb", 1.0 } });
    row("lightning",
        { { "bucket_cap_mb", 1.0 / 3 }, { "first_bucket_mb", 1.0 }, { "compression", 2.0 } });
    // Elements: 10, 10240, 1024, 1 Mi, 1024, 4 Mi, 589824, ...; 1 Mi in a bucket.
    row("deepspeed", { { "gradients", std::string("3,1,1,1,6,6") }, { "compression", 2.0 } });
    row("xla",
        { { "gradients", std::string("3,1,1,1,6,6") }, { "op_fusion", std::string("auto") } });
    row("inductor",
        { { "gradients", std::string("4,1,1,12") }, { "op_fusion", std::string("auto") } });
    row("tensorflow-xla", { { "op_fusion", std::string("xla") } });
    row("horovod-groups", { { "gradients", std::string("4,2,12") }, { "compression", 2.0 } });
    row("dpro", { { "gradients", std::string("4,2,12") } });
    row("horovod", { { "fusion_threshold_bytes", 33554432.0 }, { "cycle_time_ms", 3.5 } });
    row("byteps",
        { { "schedule", std::string("p3") },
          { "partition_bytes", 4096000.0 },
          { "credit_bytes", 16384000.0 } });
    row("bytescheduler",
        { { "schedule", std::string("p3") },
          { "partition_bytes", 4000000.0 },
          { "credit_bytes", 16000000.0 } });
    row("dpro-partition", { { "schedule", std::string("fifo") }, { "partition_bytes", 200000.0 } });
    row("tictac", { { "schedule", std::string("tic") } });
    row("nccl-tuner", { { "collective", std::string("tree") } });
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
    // BytePS has ByteScheduler's order, and no other.
    const auto leftOut = [this](const char *schedule) {
        return write("byteps",
                     { { "schedule", std::string(schedule) },
                       { "partition_bytes", 1000.0 },
                       { "credit_bytes", 4000.0 } })
            .leftOut.size();
    };
    QCOMPARE(leftOut("bytescheduler"), std::size_t { 0 });
    QCOMPARE(leftOut("usbyte"), std::size_t { 2 }); // its order, and so the credit
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
    for (const char *target : { "pytorch-ddp", "lightning", "horovod", "horovod-groups", "byteps",
                                "bytescheduler", "nccl-tuner" })
        QVERIFY(write(target, {}).text.starts_with("# Predicted iteration: 5 ms.\n"));
}

/// Elements of float32: 4 bytes each.
void ConfigTargetsTest::deepspeedCountsElements()
{
    const ConfigFile file = write("deepspeed", { { "gradients", std::string("3,1,1,1,6,6") } });
    QVERIFY(file.text.find("\"reduce_bucket_size\": 1048576,") != std::string::npos);
    QVERIFY(file.leftOut.empty());
    QVERIFY(file.text.find("communication_data_type") == std::string::npos);
}

/// The recorded buckets have 1 Mi and 5 Mi elements: a bucket of 1 Mi would not hold the second's
/// largest tensor, and one of 5 Mi the first's next.
void ConfigTargetsTest::bucketsThatDeepspeedCannotMakeAreTold()
{
    const ConfigFile file = write("deepspeed", { { "gradients", std::string("4,14") } });
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    const Strategy said = configTargetNamed("deepspeed")->read(file.text, m_predictor->job());
    QVERIFY(file.leftOut.front().find(said.text("gradients").value_or("none"))
            != std::string::npos);
}

void ConfigTargetsTest::deepspeedTellsItsStages()
{
    const ConfigFile file = write("deepspeed", { { "bucket_cap_mb", 5.0 } });
    QVERIFY(file.text.find("ZeRO stages 1 and 2") != std::string::npos);
    QVERIFY(file.text.find("Predicted iteration: 5 ms.") != std::string::npos);
    QVERIFY(!file.notes.empty());
}

void ConfigTargetsTest::dproNumbersTensorsFromTheFirstVariable()
{
    const ConfigFile file = write("dpro", { { "gradients", std::string("1,2,15") } });
    QVERIFY(file.text.find("\"0+1+2+3+4+5+6+7+8+9+10+11+12+13+14\",\n    \"15+16\",\n    \"17\"\n")
            != std::string::npos);
}

/// A credit was taken for expressed though no partition was written that it could count.
void ConfigTargetsTest::bytepsTakesThePartitionsOfThePrediction()
{
    const ConfigFile file
        = write("byteps", { { "schedule", std::string("p3") }, { "credit_bytes", 400000.0 } });
    QVERIFY(file.text.find("export BYTEPS_PARTITION_BYTES=200000\n") != std::string::npos);
    QVERIFY(file.text.find("export BYTEPS_SCHEDULING_CREDIT=2\n") != std::string::npos);
    QVERIFY(file.leftOut.empty());
    QVERIFY(file.notes.front().find("200000 bytes") != std::string::npos);
}

void ConfigTargetsTest::bytepsOrdersGoWithACredit()
{
    const Change partition("partition_bytes", 4096000.0), credit("credit_bytes", 4096000.0);
    for (const Strategy &strategy :
         { Strategy { partition, { "schedule", std::string("p3") } },
           Strategy { partition, credit, { "schedule", std::string("fifo") } } }) {
        const ConfigFile file = write("byteps", strategy);
        QCOMPARE(file.leftOut.size(), std::size_t { 1 });
        QVERIFY(file.leftOut.front().starts_with("schedule="));
        QCOMPARE(file.expressed, strategy.changes.size() - 1);
    }
}

/// Of 4 bytes: the sample's parameters are float32.
void ConfigTargetsTest::byteschedulerCountsParameters()
{
    const ConfigFile file = write("bytescheduler",
                                  { { "schedule", std::string("p3") },
                                    { "partition_bytes", 4000001.0 },
                                    { "credit_bytes", 16000000.0 } });
    for (const char *line :
         { "export USE_BYTESCHEDULER=1\n", "export BYTESCHEDULER_PARTITION=1000000\n",
           "export BYTESCHEDULER_CREDIT=4000000\n", "export BYTESCHEDULER_CREDIT_TUNING=0\n" })
        QVERIFY2(file.text.find(line) != std::string::npos, file.text.c_str());
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    QVERIFY(file.leftOut.front().starts_with("partition_bytes=4000001: "));
}

void ConfigTargetsTest::byteschedulerAlwaysHasACredit()
{
    const ConfigFile file = write(
        "bytescheduler", { { "schedule", std::string("p3") }, { "partition_bytes", 4000000.0 } });
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    QVERIFY(file.leftOut.front().starts_with("no credit: "));
    const Strategy said = configTargetNamed("bytescheduler")->read(file.text, m_predictor->job());
    QCOMPARE(said.number("credit_bytes"), std::optional(16000000.0));
    QCOMPARE(write("bytescheduler",
                   { { "schedule", std::string("fifo") }, { "partition_bytes", 4000000.0 } })
                 .leftOut.size(),
             std::size_t { 2 });
}

void ConfigTargetsTest::byteschedulersDefaultsAreWritten()
{
    const Strategy strategy { { "schedule", std::string("bytescheduler") } };
    const ConfigFile file = write("bytescheduler", strategy);
    QVERIFY(file.leftOut.empty());
    const Strategy said = configTargetNamed("bytescheduler")->read(file.text, m_predictor->job());
    QCOMPARE(m_predictor->predict(said, {}).predictedNs,
             m_predictor->predict(strategy, {}).predictedNs);
}

/// The sample's first gradients have 40 B, 40 KiB, 4 KiB and 4 MiB; they are the last variables'.
void ConfigTargetsTest::dproCutsTensorsByTheirNumber()
{
    const ConfigFile file = write("dpro-partition",
                                  { { "schedule", std::string("p3") },
                                    { "partition_bytes", 200000.0 },
                                    { "credit_bytes", 400000.0 } });
    QVERIFY(file.text.starts_with("Distributed_Push_Pull/BytePSPushPull.0 "));
    QVERIFY(file.text.ends_with("Distributed_Push_Pull/BytePSPushPull.14 200000\n"
                                "Distributed_Push_Pull/BytePSPushPull.15 4096\n"
                                "Distributed_Push_Pull/BytePSPushPull.16 40960\n"
                                "Distributed_Push_Pull/BytePSPushPull.17 40\n"));
    QCOMPARE(file.leftOut.size(), std::size_t { 2 }); // order and credit
    for (const char *text : { "tensor 5\n", "Distributed_Push_Pull/BytePSPushPull.0 x\n",
                              "Distributed_Push_Pull/BytePSPushPull.0 0\n" })
        QVERIFY_THROWS_EXCEPTION(
            Error, configTargetNamed("dpro-partition")->read(text, m_predictor->job()));
}

/// The forward pass needs the first variable first, whose gradient is ready last.
void ConfigTargetsTest::tictacListsPrioritiesOfNamedTensors()
{
    const ConfigFile file = write("tictac", { { "schedule", std::string("p3") } });
    const std::vector<std::string> names = tensorNamesOf(m_predictor->job());
    QCOMPARE(names.size(), std::size_t { 18 });
    const QStringList lines = QString::fromStdString(file.text).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 18);
    std::set<QString> listed;
    int before = 0;
    for (const QString &line : lines) {
        const QStringList parts = line.split(u'\t');
        QCOMPARE(parts.size(), 2);
        listed.insert(parts[0]);
        QVERIFY(parts[1].toInt() >= before && parts[1].toInt() < 18);
        before = parts[1].toInt();
    }
    QCOMPARE(listed.size(), std::size_t { 18 });
    const auto namesTimes = [this](const char *word) {
        const ConfigFile one = write("tictac", { { "schedule", std::string(word) } });
        return std::any_of(one.notes.begin(), one.notes.end(), [](const std::string &note) {
            return note.find("least of the recorded iterations") != std::string::npos;
        });
    };
    QVERIFY(namesTimes("tac") && !namesTimes("tic"));
    // TIC orders by dependencies alone, so some tensors are alike.
    QVERIFY(write("tictac", { { "schedule", std::string("tic") } }).text != file.text);
    for (const char *text : { "tensor 5\n", "tensor\tx\n", "tensor\t5\n" })
        QVERIFY_THROWS_EXCEPTION(Error,
                                 configTargetNamed("tictac")->read(text, m_predictor->job()));
}

void ConfigTargetsTest::tictacSendsWholeTensors()
{
    const Strategy parted { { "schedule", std::string("p3") },
                            { "partition_bytes", 200000.0 },
                            { "credit_bytes", 400000.0 } };
    const ConfigFile file = write("tictac", parted);
    QCOMPARE(file.expressed, std::size_t { 1 });
    QCOMPARE(file.leftOut.size(), std::size_t { 2 });
    const Strategy said = configTargetNamed("tictac")->read(file.text, m_predictor->job());
    QCOMPARE(said.text("schedule"), std::optional(std::string("p3")));
    QCOMPARE(said.number("partition_bytes"), std::optional(static_cast<double>(WholeTensors)));
    for (const char *word : { "fifo", "usbyte", "dear", "random" })
        QCOMPARE(write("tictac", { { "schedule", std::string(word) } }).expressed,
                 std::size_t { 0 });
}

void ConfigTargetsTest::ncclsTunerTakesRulesOfTenFields()
{
    const std::string longComment(600, 'a');
    const ConfigFile file = configTargetNamed("nccl-tuner")
                                ->write({ m_predictor->job(),
                                          { { "collective", std::string("ring") } },
                                          { longComment + " " + longComment } });
    const QStringList lines = QString::fromStdString(file.text).split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines.first(lines.size() - 1)) {
        QVERIFY(line.startsWith(u'#'));
        QVERIFY(line.size() < 255);
    }
    QCOMPARE(lines.back(), QStringLiteral("allreduce,0,4294967295,ring,simple,-1,-1,-1,-1,-1"));
    QCOMPARE(lines.back().split(u',').size(), 10);
    QCOMPARE(file.notes.size(), std::size_t { 2 }); // the sample reduces with gloo
}

void ConfigTargetsTest::ncclHasRingsAndTreesOnly()
{
    const ConfigFile file = write("nccl-tuner", { { "collective", std::string("ps:2") } });
    QCOMPARE(file.expressed, std::size_t { 0 });
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    QVERIFY(file.leftOut.front().starts_with("collective=ps:2: "));
}

/// 4 MiB hold the sample's fourth gradient, and nothing beside it.
void ConfigTargetsTest::xlaStatesItsThresholdAndVersion()
{
    const ConfigFile file = write("xla", { { "gradients", std::string("3,1,1,1,6,6") } });
    QVERIFY(file.leftOut.empty());
    for (const char *part :
         { "# Names are those of XLA in jaxlib 0.7.2",
           "export XLA_FLAGS=\"${XLA_FLAGS:-} --xla_gpu_enable_latency_hiding_scheduler=true "
           "--xla_gpu_all_reduce_combine_threshold_bytes=4194304\"\n" })
        QVERIFY2(file.text.find(part) != std::string::npos, file.text.c_str());
    // Recorded buckets where the strategy says none.
    const ConfigFile open = write("xla", { { "op_fusion", std::string("auto") } });
    QCOMPARE(open.expressed, std::size_t { 1 });
    QVERIFY(open.notes.front().find("leaves buckets open") != std::string::npos);
    QVERIFY(write("xla", { { "compression", 2.0 } }).text.empty());
    // The largest gradient has 16 MiB.
    QVERIFY(file.text.find("goes alone") != std::string::npos);
    QVERIFY(write("xla", { { "gradients", std::string("18") } }).text.find("goes alone")
            == std::string::npos);
}

/// A threshold that holds the first bucket's four gradients holds the second's two, too.
void ConfigTargetsTest::bucketsThatXlaCannotMakeAreTold()
{
    const ConfigFile file = write("xla", { { "gradients", std::string("4,1,1,12") } });
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    const Strategy said = configTargetNamed("xla")->read(file.text, m_predictor->job());
    QVERIFY(file.leftOut.front().find(said.text("gradients").value_or("none"))
            != std::string::npos);
}

/// Tensors of each compiled part are nobody's word, and how much joining saves is a fact.
void ConfigTargetsTest::compilersHaveNoWordsForParts()
{
    const Change parts("op_fusion", std::string("5,13")), saving("op_fusion_saving", 0.25);
    for (const char *target : { "xla", "inductor", "tensorflow-xla" }) {
        const ConfigFile file = write(target, { parts });
        QCOMPARE(file.expressed, std::size_t { 0 });
        QCOMPARE(file.leftOut.size(), std::size_t { 1 });
        QVERIFY(file.leftOut.front().starts_with("op_fusion=5,13: "));
        QVERIFY(file.text.empty());
    }
    QVERIFY(
        write("tensorflow-xla", { { "op_fusion", std::string("xla") }, saving }).leftOut.empty());
    QCOMPARE(
        write("tensorflow-xla", { { "op_fusion", std::string("xla") }, { "bucket_cap_mb", 5.0 } })
            .leftOut.size(),
        std::size_t { 1 });
}

void ConfigTargetsTest::inductorTakesAnyBuckets()
{
    const ConfigFile file = write("inductor", { { "gradients", std::string("3,15") } });
    QVERIFY(file.leftOut.empty());
    // 40 B, 40 KiB and 4 KiB.
    QVERIFY2(file.text.find("\nBUCKET_BYTES = [45096,") != std::string::npos, file.text.c_str());
    QVERIFY(file.text.find("\n# Names are those of torch._inductor.config in PyTorch 2.10")
            != std::string::npos);
    for (const char *text :
         { "BUCKET_BYTES = 5\n", "BUCKET_BYTES = []\n", "BUCKET_BYTES = [5, \"x\"]\n" })
        QVERIFY_THROWS_EXCEPTION(Error,
                                 configTargetNamed("inductor")->read(text, m_predictor->job()));
}

void ConfigTargetsTest::damagedFilesAreRefused()
{
    const ConfigTarget &target = *configTargetNamed("deepspeed");
    for (const char *text : { "[", "[]", R"({"zero_optimization": 3})",
                              R"({"zero_optimization": {"reduce_bucket_size": "auto"}})",
                              R"({"communication_data_type": 16})" })
        QVERIFY_THROWS_EXCEPTION(Error, target.read(text, m_predictor->job()));
    QVERIFY_THROWS_EXCEPTION(
        Error, configTargetNamed("horovod-groups")->read("GROUPS = [4,x]\n", m_predictor->job()));
}

void ConfigTargetsTest::dproTakesGroupsInOrderOnly()
{
    const ConfigTarget &target = *configTargetNamed("dpro");
    for (const char *text : { "[]", "{}", R"({"mapping": [3]})", R"({"mapping": ["0+2", "1"]})",
                              R"({"mapping": ["0+1", "3"]})", R"({"mapping": ["0 1"]})" })
        QVERIFY_THROWS_EXCEPTION(Error, target.read(text, m_predictor->job()));
}

void ConfigTargetsTest::horovodsGroupsComeWithNames()
{
    const ConfigFile file = write("horovod-groups", { { "gradients", std::string("4,14") } });
    QVERIFY(file.text.find("\nGROUPS = [4,14]\n") != std::string::npos);
    QVERIFY(file.text.find("BYTES = [\n    40,\n    40960,\n") != std::string::npos);
    QVERIFY(file.text.find("NAMES = [\n    \"") != std::string::npos);
    QVERIFY(file.text.find("HOROVOD_DISABLE_GROUP_FUSION") != std::string::npos);
}

void ConfigTargetsTest::theFirstBucketGoesByTheVersionOfPytorch_data()
{
    QTest::addColumn<QString>("version");
    QTest::addColumn<double>("firstMb");
    QTest::newRow("before 2.4") << "2.3.1" << 1.0;
    QTest::newRow("later") << "2.10.0+cu128" << 7.0;
    QTest::newRow("in doubt, as recorded") << "2.5.0" << 1.0;
    QTest::newRow("not stated, as recorded") << "" << 1.0;
}

/// The sample's first bucket has a limit of its own.
void ConfigTargetsTest::theFirstBucketGoesByTheVersionOfPytorch()
{
    QFETCH(const QString, version);
    QFETCH(const double, firstMb);
    const MeasuredJob recorded = m_predictor->job();
    Trace trace = recorded.trace;
    trace.metadata
        = { { "meta.json", R"({"torch_version": ")" + version.toStdString() + R"("})" } };
    const MeasuredJob job { trace, recorded.graph, recorded.links };
    for (const char *target : { "huggingface", "lightning", "pytorch-ddp" }) {
        const ConfigTarget &one = *configTargetNamed(target);
        const ConfigFile file
            = one.write({ job, { { "bucket_cap_mb", 7.0 }, { "first_bucket_mb", 1.0 } }, {} });
        QCOMPARE(one.read(file.text, job).number("first_bucket_mb").value_or(0), firstMb);
        QCOMPARE(file.leftOut.size(), std::size_t { firstMb == 1.0 ? 0U : 1U });
    }
}

void ConfigTargetsTest::bucketsThatATargetHasNoWordsForAreLeftOut()
{
    const ConfigFile file = write("horovod", { { "gradients", std::string("4,14") } });
    QCOMPARE(file.expressed, std::size_t { 0 });
    QCOMPARE(file.leftOut.size(), std::size_t { 1 });
    QVERIFY(file.leftOut.front().starts_with("gradients=4,14: "));
}

void ConfigTargetsTest::theHelpPageNamesAllTargets()
{
    QFile page(QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/help/config-files.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    for (const auto &target : configTargets())
        QVERIFY2(
            text.contains("\n| `" + QByteArray::fromStdString(std::string(target->name())) + "` |"),
            target->name().data());
}

LONGPOLE_TEST(ConfigTargetsTest)
#include "tst_config_targets.moc"
