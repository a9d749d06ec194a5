#include "core/import/importer.h"
#include "core/import/nccl/nccl_names.h"

#include <QTest>

using namespace core;

/// What NCCL calls things.
class NcclNamesTest : public QObject
{
    Q_OBJECT

private slots:
    void theAlgorithmIsInTheArguments_data();
    void theAlgorithmIsInTheArguments();
    void formatsOfNcclAreImporters();
};

void NcclNamesTest::theAlgorithmIsInTheArguments_data()
{
    QTest::addColumn<QByteArray>("args");
    QTest::addColumn<QByteArray>("algorithm");
    QTest::newRow("example plug-in")
        << QByteArray("{\"SeqNum\": 3, \"Algorithm\": \"RING\", \"Protocol\": \"SIMPLE\"}")
        << QByteArray("RING");
    QTest::newRow("event lines") << QByteArray("{\"algo\": \"TREE\", \"proto\": \"LL\"}")
                                 << QByteArray("TREE");
    QTest::newRow("Inspector") << QByteArray(
        "{\"coll\": \"AllReduce\", \"coll_algo\": \"NVLS_TREE\"}")
                               << QByteArray("NVLS_TREE");
    QTest::newRow("own collector")
        << QByteArray("{\"algorithm\": \"COLLNET_DIRECT\"}") << QByteArray("COLLNET_DIRECT");
    QTest::newRow("none") << QByteArray("{\"count\": 4}") << QByteArray("");
    QTest::newRow("no arguments") << QByteArray("") << QByteArray("");
    QTest::newRow("not told") << QByteArray("{\"algo\": \"Unknown\"}") << QByteArray("");
    QTest::newRow("damage") << QByteArray("{\"algo\": \"" + QByteArray(5000, 'R') + "\"}")
                            << QByteArray("");
}

void NcclNamesTest::theAlgorithmIsInTheArguments()
{
    QFETCH(const QByteArray, args);
    QFETCH(const QByteArray, algorithm);
    QCOMPARE(QByteArray::fromStdString(ncclAlgorithm(args.toStdString())), algorithm);
}

/// The formats are known by name only.
void NcclNamesTest::formatsOfNcclAreImporters()
{
    QStringList found;
    for (const auto &importer : importers())
        if (isNcclFormat(importer->name()))
            found << QString::fromStdString(std::string(importer->name()));
    QCOMPARE(found.join(QLatin1Char(' ')),
             QStringLiteral("nccl-event-lines nccl-inspector nccl-profiler longpole-nccl"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NcclNamesTest)
#include "tst_nccl_names.moc"
