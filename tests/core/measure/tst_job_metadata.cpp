#include "core/measure/job_metadata.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

namespace {

Trace traceWith(const char *meta)
{
    Trace trace;
    trace.metadata = { { "job/meta.json", meta } };
    return trace;
}

} // namespace

class JobMetadataTest : public QObject
{
    Q_OBJECT

private slots:
    void itTellsTheVersionOfPytorch_data();
    void itTellsTheVersionOfPytorch();
    void itTellsTheBytesOfAnElement_data();
    void itTellsTheBytesOfAnElement();
    void itListsTheParametersOfAllBuckets();
    void itListsTheSizesOfGradients();
    void whatTheUserGivesComesFirst();
};

void JobMetadataTest::itTellsTheVersionOfPytorch_data()
{
    QTest::addColumn<QByteArray>("meta");
    QTest::addColumn<int>("version");
    QTest::newRow("stated") << QByteArray(R"({"torch_version": "2.10.0+cu128"})") << 210;
    QTest::newRow("of a development build")
        << QByteArray(R"({"torch_version": "1.13.0a0"})") << 113;
    QTest::newRow("a number") << QByteArray(R"({"torch_version": 2.1})") << 0;
    QTest::newRow("a word") << QByteArray(R"({"torch_version": "main"})") << 0;
    QTest::newRow("no minor one") << QByteArray(R"({"torch_version": "2"})") << 0;
    QTest::newRow("negative") << QByteArray(R"({"torch_version": "-2.1"})") << 0;
    QTest::newRow("not stated") << QByteArray("{}") << 0;
    QTest::newRow("malformed") << QByteArray("{") << 0;
}

void JobMetadataTest::itTellsTheVersionOfPytorch()
{
    QFETCH(const QByteArray, meta);
    QFETCH(const int, version);
    QCOMPARE(statedTorchVersion(traceWith(meta.constData())).value_or(0), version);
}

void JobMetadataTest::itTellsTheBytesOfAnElement_data()
{
    QTest::addColumn<QByteArray>("meta");
    QTest::addColumn<int>("bytes");
    const auto row = [](const char *name, const char *meta, int bytes) {
        QTest::newRow(name) << QByteArray(meta) << bytes;
    };
    row("of one type", R"({"parameter_table": [{"dtype": "bfloat16"}, {"dtype": "float16"}]})", 2);
    row("of two", R"({"parameter_table": [{"dtype": "float32"}, {"dtype": "float16"}]})", 0);
    row("of none", R"({"parameter_table": [{"name": "a"}]})", 0);
    row("no list", R"({"parameter_table": 5})", 0);
    row("by their sum", R"({"parameters": 10198432, "gradient_bytes": 40793728})", 4);
    row("of a part", R"({"parameters": 10198432, "gradient_bytes": 40793724})", 0);
    row("not stated", "{}", 0);
}

void JobMetadataTest::itTellsTheBytesOfAnElement()
{
    QFETCH(const QByteArray, meta);
    QFETCH(const int, bytes);
    QCOMPARE(statedElementBytes(traceWith(meta.constData())).value_or(0), bytes);
}

void JobMetadataTest::itListsTheParametersOfAllBuckets()
{
    const auto parameters = statedParameters(
        traceWith(R"({"buckets": [{"bytes": 12, "parameters": [{"name": "b", "bytes": 4},
                                                               {"name": "a", "bytes": 8}]},
                                  {"bytes": 6, "parameters": [{"name": "c", "bytes": 6}]}]})"));
    QCOMPARE(parameters.size(), std::size_t { 3 });
    QCOMPARE(parameters[1].name, std::string("a"));
    QCOMPARE(parameters[1].bytes, std::uint64_t { 8 });
    QCOMPARE(parameters[2].name, std::string("c"));
    QVERIFY(statedParameters(traceWith(R"({"buckets": [{"bytes": 12, "parameters": [
                                              {"name": "b", "bytes": 4}]}, {"bytes": 6}]})"))
                .empty()); // the second one's are not listed
}

void JobMetadataTest::itListsTheSizesOfGradients()
{
    const auto sizesIn
        = [](const char *meta) { return statedJob(traceWith(meta).metadata).gradientBytes; };
    using Sizes = std::vector<std::uint64_t>;
    QVERIFY(sizesIn(R"({"gradient_sizes": [4, 8]})") == (Sizes { 4, 8 }));
    QVERIFY(sizesIn(R"({"gradient_sizes": [4, 0]})").empty()); // no gradient is empty
    QVERIFY(sizesIn(R"({"gradient_sizes": [4, "8"]})").empty());
    QVERIFY(sizesIn(R"({"buckets": [{"bytes": 12, "parameters": [{"name": "b", "bytes": 4},
                                                                 {"name": "a", "bytes": 8}]}]})")
            == (Sizes { 4, 8 }));
}

void JobMetadataTest::whatTheUserGivesComesFirst()
{
    Trace trace = traceWith(R"({"gradient_sizes": [8, 16], "link_mbit": [500, 200]})");
    GivenFacts facts;
    QVERIFY(facts.isEmpty() && givenFactsEntry(facts).text.empty());
    facts.gradientBytes = { 4, 12 };
    facts.linkMbit = 1000;
    trace.metadata.push_back(givenFactsEntry(facts));
    QVERIFY(givenFacts(trace.metadata) == facts);
    const StatedJob stated = statedJob(trace.metadata);
    QVERIFY(stated.gradientBytes == facts.gradientBytes);
    QCOMPARE(stated.bandwidthMbit, std::optional(1000.0));
    QVERIFY(stated.linkMbit.empty());
    for (const char *broken : { "{", "[]", R"({"gradient_sizes": [-1]})" })
        QVERIFY(givenFacts({ { std::string(GivenFactsName), broken } }).isEmpty());
}

LONGPOLE_TEST(JobMetadataTest)
#include "tst_job_metadata.moc"
