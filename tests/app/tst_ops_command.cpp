#include "longpole_program.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

using namespace tests;

/// `longpole ops` on the bundled sample: the table of the Operations page, and what it refuses.
class TestOpsProgram : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void rowsAreSortedAndAddUp();
    void inputShapesSplitRows();
    void csvAndTextHaveTheSameFigures();
    void itRefuses_data();
    void itRefuses();

private:
    SampleFolder m_folder;
};

void TestOpsProgram::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
}

void TestOpsProgram::rowsAreSortedAndAddUp()
{
    const Run run = longpole({ "ops", m_folder.project(), "--json" });
    QVERIFY2(run.code == 0, run.text());
    const Json all = run.json();
    QVERIFY(all["ops"].size() > 10);
    QCOMPARE(all["ops"].size(), all["ops_total"].get<std::size_t>());
    double shares = 0;
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (const Json &op : all["ops"]) {
        QVERIFY(op["own_ns"].is_number_integer());
        QVERIFY(op["own_ns"].get<std::int64_t>() <= before);
        before = op["own_ns"];
        QVERIFY(op["p50_ns"] <= op["p95_ns"]);
        QVERIFY(op["p95_ns"] <= op["longest_ns"]);
        if (op["kind"] == "framework op")
            shares += op["share_of_kind"].get<double>();
    }
    QVERIFY2(std::abs(shares - 1) < 1e-9, qPrintable(QString::number(shares)));
    const Json few
        = longpole({ "ops", m_folder.project(), "--json", "--limit", "2", "--sort", "count" })
              .json();
    QCOMPARE(few["ops"].size(), std::size_t { 2 });
    QCOMPARE(few["ops_total"], all["ops_total"]);
    QVERIFY(few["ops"][0]["count"] >= few["ops"][1]["count"]);
}

void TestOpsProgram::inputShapesSplitRows()
{
    const auto sumOf = [this](const char *by) {
        std::int64_t sumNs = 0;
        std::size_t rows = 0;
        const Json all = longpole({ "ops", m_folder.project(), "--json", "--by", by }).json();
        for (const Json &op : all["ops"]) {
            sumNs += op["own_ns"].get<std::int64_t>();
            rows += op["shapes"] == "" ? 0 : 1;
        }
        return std::pair(sumNs, rows);
    };
    const auto [byName, shapedByName] = sumOf("name");
    const auto [byShape, shaped] = sumOf("shape");
    QCOMPARE(byShape, byName);
    QCOMPARE(shapedByName, std::size_t { 0 });
    QVERIFY(shaped > 10);
}

void TestOpsProgram::csvAndTextHaveTheSameFigures()
{
    const Words words { "ops", m_folder.project(), "--kind", "communication", "--rank", "1" };
    const auto with = [&words](const char *option) {
        Words all = words;
        all.emplace_back(option);
        return longpole(all);
    };
    const Json row = with("--json").json()["ops"][0];
    const QList<QByteArray> csv = with("--csv").out.split('\n');
    QVERIFY(csv[0].startsWith("operation,input_shapes,kind,own_ns,"));
    const QByteArray start
        = QByteArray::fromStdString(row["name"].get<std::string>() + ",,communication,"
                                    + std::to_string(row["own_ns"].get<long>()));
    QVERIFY2(csv[1].startsWith(start), csv[1]);
    const Run text = longpole(words);
    QVERIFY2(text.out.startsWith("operation") && text.out.contains("GB/s"), text.text());
    QVERIFY(!text.out.contains("input shapes")); // an empty column is left out
}

void TestOpsProgram::itRefuses_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, const Words &arguments, const char *message) {
        QTest::newRow(name) << arguments << QByteArray(message);
    };
    row("a rank that there is not", { "--rank", "7" }, "There is no rank 7");
    row("an iteration that there is not", { "--iteration", "99" }, "There is no iteration 99");
    row("another kind", { "--kind", "kernels" }, "framework-op");
    row("another column", { "--sort", "name" }, "p95");
    row("two formats", { "--csv", "--json" }, "not both");
}

void TestOpsProgram::itRefuses()
{
    QFETCH(const Words, arguments);
    QFETCH(const QByteArray, message);
    Words all { "ops", m_folder.project() };
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Run run = longpole(all);
    QVERIFY2(run.code == 2, run.text());
    QVERIFY2(run.err.contains(message), run.text());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpsProgram)
#include "tst_ops_command.moc"
