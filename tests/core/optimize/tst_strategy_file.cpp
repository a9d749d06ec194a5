#include "core/base/error.h"
#include "core/optimize/strategy_file.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace core;

class StrategyFileTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aStrategyComesBackAsItWasWritten_data();
    void aStrategyComesBackAsItWasWritten();
    void unknownMembersAreTold();
    void bucketsThatDoNotFitAreRefused_data();
    void bucketsThatDoNotFitAreRefused();
    void figuresOfAPredictionComeBack();
    void aStrategyOfAnotherJobIsTold();
    void brokenFilesAreRefusedByName_data();
    void brokenFilesAreRefusedByName();

private:
    /// As a search would write it.
    std::string textOf(const Strategy &strategy) const
    {
        SearchResult result;
        result.baselineNs = 100;
        Candidate candidate;
        candidate.strategy = strategy;
        candidate.unknownInterval = "not sought.";
        candidate.change = "as wanted";
        candidate.predictedNs = 90;
        SearchStep &step = result.steps.emplace_back();
        step.pass = "bucket_cap";
        step.change = "as wanted";
        step.predictedNs = 90;
        return strategyText(result, &candidate, m_predictor->job(), { "optimize", 0 });
    }

    tests::SampleProject m_sample;
    std::optional<Predictor> m_predictor;
};

Q_DECLARE_METATYPE(Strategy)

void StrategyFileTest::initTestCase()
{
    m_predictor = m_sample.predictor();
}

void StrategyFileTest::aStrategyComesBackAsItWasWritten_data()
{
    QTest::addColumn<Strategy>("strategy");
    QTest::newRow("nothing") << Strategy();
    QTest::newRow("numbers") << Strategy { { "bucket_cap_mb", 0.1 },
                                           { "bandwidth_mbit", 1.0 / 3 } };
    QTest::newRow("words") << Strategy { { "collective", std::string("ps:2") } };
    QTest::newRow("ranks") << Strategy { { "compute_scale", 2.5, { 1 } },
                                         { "comm_scale", 0.5, { 0, 1 } } };
    QTest::newRow("buckets") << Strategy { { "gradients", std::string("4,2,12") } };
}

void StrategyFileTest::aStrategyComesBackAsItWasWritten()
{
    QFETCH(const Strategy, strategy);
    const StrategyFile file = parseStrategyFile(textOf(strategy), "s.json", m_predictor->job());
    QVERIFY(file.strategy == strategy);
    QVERIFY(file.notes.empty());
    QCOMPARE(file.steps.size(), std::size_t { 1 });
    QCOMPARE(file.steps.front().pass, std::string("bucket_cap"));
    QCOMPARE(file.steps.front().afterNs, std::int64_t { 90 });
}

void StrategyFileTest::unknownMembersAreTold()
{
    auto json = nlohmann::json::parse(textOf({ { "bucket_cap_mb", 5.0 } }));
    json["cost"] = 3;
    json["changes"][0]["why"] = "because";
    const StrategyFile file = parseStrategyFile(json.dump(), "s.json", m_predictor->job());
    QCOMPARE(file.notes.size(), std::size_t { 2 });
    QCOMPARE(file.strategy.number("bucket_cap_mb"), std::optional(5.0));
}

void StrategyFileTest::bucketsThatDoNotFitAreRefused_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("word");
    const auto row = [](const char *name, const char *path, const char *value, const char *word) {
        QTest::newRow(name) << QString::fromLatin1(path) << QString::fromLatin1(value)
                            << QString::fromLatin1(word);
    };
    row("another size", "/tensors/3/bytes", "8", "number 3");
    row("a size that is no number", "/tensors/3/bytes", "\"x\"", "wrong type");
    row("a tensor less", "/tensors", "[]", "0 tensors");
    row("a hole", "/cycle/0/0/tensors/1", "2", "consecutive");
    row("more tensors than there are", "/cycle/0/1/tensors/1", "18446744073709551615",
        "consecutive");
    row("two iterations", "/cycle", "[[],[]]", "one iteration");
    row("another order", "/order", "\"priority\"", "order");
}

void StrategyFileTest::bucketsThatDoNotFitAreRefused()
{
    QFETCH(const QString, path);
    QFETCH(const QString, value);
    QFETCH(const QString, word);
    auto json = nlohmann::json::parse(textOf({ { "gradients", std::string("4,14") } }));
    const nlohmann::json::json_pointer at("/changes/0/value" + path.toStdString());
    QVERIFY(json.contains(at));
    json[at] = nlohmann::json::parse(value.toStdString());
    try {
        parseStrategyFile(json.dump(), "s.json", m_predictor->job());
        QFAIL("not refused");
    } catch (const Error &error) {
        QVERIFY2(QString::fromStdString(error.what()).contains(word), error.what());
    }
}

/// A kept strategy: the command line reads its settings, the window its figures.
void StrategyFileTest::figuresOfAPredictionComeBack()
{
    const Strategy strategy { { "bucket_cap_mb", 5.0 }, { "bandwidth_scale", 2.0 } };
    Prediction result = m_predictor->predict(strategy, {});
    result.isJudged = true;
    result.unknownInterval.reset();
    result.ciLowNs = result.predictedNs - 7;
    result.ciHighNs = result.predictedNs + 9;
    result.trust = TrustLevel::Fair;
    const StrategyFigures written = figuresOf(result, 123'456'789);
    const std::string text = strategyText(strategy, written, m_predictor->job(), { "window", 0 });
    const StrategyFile file = parseStrategyFile(text, "s.json", m_predictor->job());
    QVERIFY(file.strategy == strategy);
    QVERIFY(file.notes.empty());
    const auto read = figuresIn(text);
    QVERIFY(read.has_value());
    QCOMPARE(read->iterationNs, result.predictedNs);
    QCOMPARE(read->unchangedNs, result.unchangedNs);
    QVERIFY(read->ci95Ns == std::pair(result.ciLowNs, result.ciHighNs));
    QVERIFY(read->trust == TrustLevel::Fair);
    QCOMPARE(read->parts->computeNs, result.predictedParts.computeNs);
    QCOMPARE(read->parts->exposedCommNs, result.predictedParts.exposedCommNs);
    QCOMPARE(read->peakMemoryBytes, std::optional<std::uint64_t>(123'456'789));
    // One that is not judged yet states no interval and no trust.
    result.isJudged = false;
    QVERIFY(!figuresOf(result, {}).ci95Ns && !figuresOf(result, {}).trust);
    // The gain of a search's file is an interval, too.
    const auto gain = figuresIn(
        R"({"predicted":{"iteration_ns":80,"unchanged_ns":100,"gain_ci95_ns":[15,25]}})");
    QVERIFY(gain->ci95Ns == std::pair(std::int64_t { 75 }, std::int64_t { 85 }));
    for (const char *broken : { "{", "[]", "{}", R"({"predicted":{"iteration_ns":"x"}})" })
        QVERIFY(!figuresIn(broken));
}

void StrategyFileTest::aStrategyOfAnotherJobIsTold()
{
    auto json = nlohmann::json::parse(textOf({ { "bucket_cap_mb", 5.0 } }));
    json["for"]["ranks"] = 16;
    const StrategyFile file = parseStrategyFile(json.dump(), "s.json", m_predictor->job());
    QCOMPARE(file.notes.size(), std::size_t { 1 });
    QVERIFY(file.notes.front().find("16") != std::string::npos);
}

void StrategyFileTest::brokenFilesAreRefusedByName_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("no JSON") << QStringLiteral("{");
    QTest::newRow("a list") << QStringLiteral("[]");
    QTest::newRow("no schema") << QStringLiteral("{}");
    QTest::newRow("a schema of another type") << QStringLiteral(R"({"schema":5})");
    const auto row = [](const char *name, const char *changes) {
        QTest::newRow(name) << QStringLiteral(
                                   R"({"schema":"longpole-strategy","version":1,"changes":%1})")
                                   .arg(QString::fromLatin1(changes));
    };
    row("changes are no list", "{}");
    row("no key", R"([{"value":1}])");
    row("an unknown key", R"([{"key":"warp_speed","value":1}])");
    row("a value out of range", R"([{"key":"bucket_cap_mb","value":-1}])");
    row("a value of another kind", R"([{"key":"bucket_cap_mb","value":[1]}])");
    row("given twice", R"([{"key":"expand","value":1},{"key":"expand","value":0}])");
    row("a contradiction",
        R"([{"key":"bucket_cap_mb","value":1},{"key":"gradients","value":"4,14"}])");
    QTest::newRow("a newer version")
        << QStringLiteral(R"({"schema":"longpole-strategy","version":2,"changes":[]})");
}

void StrategyFileTest::brokenFilesAreRefusedByName()
{
    QFETCH(const QString, text);
    try {
        parseStrategyFile(text.toStdString(), "my strategy.json", m_predictor->job());
        QFAIL("not refused");
    } catch (const Error &error) {
        QVERIFY(QString::fromStdString(error.what()).contains(QStringLiteral("my strategy.json")));
    }
}

LONGPOLE_TEST(StrategyFileTest)
#include "tst_strategy_file.moc"
