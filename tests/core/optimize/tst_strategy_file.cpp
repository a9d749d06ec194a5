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
    void bucketsOfOtherTensorsAreRefused();
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
        result.candidates.push_back(candidate);
        return strategyText(result, m_predictor->job(), { "optimize", 0 });
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

void StrategyFileTest::bucketsOfOtherTensorsAreRefused()
{
    auto json = nlohmann::json::parse(textOf({ { "gradients", std::string("4,14") } }));
    json["changes"][0]["value"]["tensors"][3]["bytes"] = 8;
    QVERIFY_THROWS_EXCEPTION(Error, parseStrategyFile(json.dump(), "s.json", m_predictor->job()));
}

void StrategyFileTest::brokenFilesAreRefusedByName_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("no JSON") << QStringLiteral("{");
    QTest::newRow("a list") << QStringLiteral("[]");
    QTest::newRow("no schema") << QStringLiteral("{}");
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
    row("buckets with a hole",
        R"([{"key":"gradients","value":{"tensors":[],"cycle":[[{"tensors":[1,3]}]]}}])");
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
