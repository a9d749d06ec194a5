#include "core/fit/layers/op_traffic.h"

#include <QTest>

using namespace core;

namespace {

constexpr MemoryPasses Passes { 2, 3 };

/// A layer of 40 x 30 weights, with 7 samples.
BatchShapes smallLayer()
{
    return { { { 40, 30 }, { 40 } }, { 7 } };
}

std::optional<double> fixed(const char *name, const Shapes &shapes, const BatchShapes &batch)
{
    return fixedElements(name, shapes, batch, Passes);
}

} // namespace

class TestOpTraffic : public QObject
{
    Q_OBJECT

private slots:
    void productsMultiplyAllPairs();
    void eachProductOfALayerHasItsWeights();
    void aProductWithoutWeightsHasNoneThatAreFixed();
    void ofTwoReadingsTheParametersGoesFirst();
    void withoutParametersTheBatchTellsTheWeights();
    void whatCannotBeReadIsNotKnown();
    void convolutionsSayWhichAreTheirWeights();
    void streamingOpsReadAndWrite_data();
    void streamingOpsReadAndWrite();
    void rowsAreTheForwardPasss();
};

void TestOpTraffic::eachProductOfALayerHasItsWeights()
{
    const BatchShapes batch = smallLayer();
    // Forward and the gradient of the input read them, the weights' gradient writes as many.
    QCOMPARE(fixed("aten::addmm", { { 40 }, { 7, 30 }, { 30, 40 }, {}, {} }, batch), 3.0 * 1200);
    QCOMPARE(fixed("aten::mm", { { 7, 40 }, { 40, 30 } }, batch), 3.0 * 1200);
    QCOMPARE(fixed("aten::mm", { { 40, 7 }, { 7, 30 } }, batch), 2.0 * 1200);
    QCOMPARE(fixed("aten::mm", { { 40, 30 }, { 30, 7 } }, batch), 3.0 * 1200); // transposed
}

void TestOpTraffic::aProductWithoutWeightsHasNoneThatAreFixed()
{
    QCOMPARE(fixed("aten::bmm", { { 84, 9, 16 }, { 84, 16, 9 } }, smallLayer()), 0.0);
    BatchShapes experts = smallLayer();
    experts.parameters.insert({ 4, 16, 9 });
    QCOMPARE(fixed("aten::bmm", { { 4, 11, 16 }, { 4, 16, 9 } }, experts), 3.0 * 576);
}

void TestOpTraffic::ofTwoReadingsTheParametersGoesFirst()
{
    // As many samples as inputs: (30 x 40) (40 x 30) could be read with a result of 30 x 30.
    const BatchShapes batch { { { 40, 30 } }, { 30, 40 } };
    QCOMPARE(fixed("aten::mm", { { 30, 40 }, { 40, 30 } }, batch), 3.0 * 1200);
    // Both the result and an operand are of parameters: the one with less to move.
    const BatchShapes square { { { 7, 7 } }, { 7 } };
    QCOMPARE(fixed("aten::mm", { { 7, 7 }, { 7, 7 } }, square), 2.0 * 49);
}

void TestOpTraffic::withoutParametersTheBatchTellsTheWeights()
{
    const BatchShapes batch { {}, { 7 } };
    QCOMPARE(fixed("aten::mm", { { 7, 40 }, { 40, 30 } }, batch), 3.0 * 1200);
    QCOMPARE(fixed("aten::mm", { { 40, 7 }, { 7, 30 } }, batch), 2.0 * 1200);
}

void TestOpTraffic::whatCannotBeReadIsNotKnown()
{
    const BatchShapes batch = smallLayer();
    QVERIFY(!fixed("aten::mm", { { 11, 12 }, { 12, 13 } }, batch));
    QVERIFY(!fixed("aten::mm", { { 7, 40 } }, batch));
    QVERIFY(!fixed("aten::mm", { { 7 }, { 40 } }, batch));
    QVERIFY(!fixed("aten::softmax", { { 7, 40 } }, batch));
    QVERIFY(!fixed("aten::convolution", { { 7, 3, 8, 8 } }, batch));
    const std::int64_t huge = std::int64_t { 1 } << 40;
    QCOMPARE(elementsOf(Shape { huge, huge }), std::int64_t { 0 });
}

void TestOpTraffic::convolutionsSayWhichAreTheirWeights()
{
    const Shape input { 7, 3, 8, 8 }, weights { 5, 3, 2, 2 }, gradient { 7, 5, 7, 7 };
    QCOMPARE(fixed("aten::convolution", { input, weights, { 5 } }, {}), 3.0 * 60);
    QCOMPARE(fixed("aten::convolution_backward", { gradient, input, weights }, {}), 5.0 * 60);
    QCOMPARE(fixed("aten::cudnn_convolution_backward_input", { {}, gradient, weights }, {}),
             3.0 * 60);
    QVERIFY(!fixed("aten::cudnn_convolution_backward_weight", { {}, gradient, input }, {}));
    // Where parameters are known, weights are one.
    QVERIFY(!fixed("aten::convolution", { input, weights }, { { { 40, 30 } }, {} }));
}

void TestOpTraffic::streamingOpsReadAndWrite_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<double>("passes"); // of 100 elements
    // A result that was not read costs two passes.
    QTest::newRow("writes") << QByteArray("aten::zero_") << 2.0;
    QTest::newRow("reads one, writes another") << QByteArray("aten::copy_") << 3.0;
    QTest::newRow("reads and writes back") << QByteArray("aten::mul_") << 3.0;
    QTest::newRow("reads two, writes a third") << QByteArray("aten::add") << 4.0;
    QTest::newRow("none") << QByteArray("aten::softmax") << 0.0;
}

void TestOpTraffic::streamingOpsReadAndWrite()
{
    QFETCH(QByteArray, name);
    QFETCH(double, passes);
    QCOMPARE(streamedElements(name.toStdString(), { { 10, 10 }, { 10, 10 } }, Passes),
             passes * 100);
}

void TestOpTraffic::rowsAreTheForwardPasss()
{
    QCOMPARE(productRows("aten::addmm", { { 40 }, { 7, 30 }, { 30, 40 } }, smallLayer()), 7);
    QVERIFY(!productRows("aten::mm", { { 40, 30 }, { 30, 7 } }, smallLayer()));
    QVERIFY(!productRows("aten::bmm", { { 84, 9, 16 }, { 84, 16, 9 } }, smallLayer()));
}

void TestOpTraffic::productsMultiplyAllPairs()
{
    QCOMPARE(productSize("aten::mm", { { 3, 5 }, { 5, 7 } }).multiplications, 105.0);
    QCOMPARE(productSize("aten::mm", { { 3, 5 }, { 5, 7 } }).dimensions, std::size_t { 2 });
    QCOMPARE(productSize("aten::addmm", { { 7 }, { 3, 5 }, { 5, 7 } }).multiplications, 105.0);
    QCOMPARE(productSize("aten::bmm", { { 2, 3, 5 }, { 2, 5, 7 } }).multiplications, 210.0);
    QCOMPARE(productSize("aten::bmm", { { 2, 3, 5 }, { 2, 5, 7 } }).dimensions, std::size_t { 3 });
    // Weights are transposed.
    QCOMPARE(productSize("aten::linear", { { 2, 3, 5 }, { 7, 5 }, { 7 } }).multiplications, 210.0);
    QCOMPARE(productSize("aten::linear", { { 3, 5 } }).multiplications, 0.0);
    QCOMPARE(productSize("aten::add", { { 3, 5 }, { 5, 7 } }).multiplications, 0.0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpTraffic)
#include "tst_op_traffic.moc"
