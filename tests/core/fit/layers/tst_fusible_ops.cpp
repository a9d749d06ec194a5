#include "core/fit/layers/fusible_ops.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class TestFusibleOps : public QObject
{
    Q_OBJECT

private slots:
    void opsThatOnlyPassOverMemoryAreFusible_data()
    {
        QTest::addColumn<bool>("isFusibleOp");
        for (const char *name :
             { "aten::relu_", "ReluBackward0", "aten::add", "aten::clamp_min_", "FusedBatchNormV3",
               "autograd::engine::evaluate_function: NativeBatchNormBackward0", "Softmax",
               "void at::native::vectorized_elementwise_kernel<4, float>", "gelu", "BiasAdd" })
            QTest::newRow(name) << true;
        for (const char *name :
             { "aten::mm", "aten::addmm", "AddmmBackward0", "ConvolutionBackward0", "Conv2D",
               "ampere_sgemm_128x64_relu_nn", "aten::max_pool2d", "torch::autograd::AccumulateGrad",
               "aten::scaled_dot_product_attention", "aten::embedding", "" })
            QTest::newRow(name) << false;
    }
    void opsThatOnlyPassOverMemoryAreFusible()
    {
        QFETCH(const bool, isFusibleOp);
        QCOMPARE(isFusible(QTest::currentDataTag()), isFusibleOp);
    }
};

LONGPOLE_TEST(TestFusibleOps)
#include "tst_fusible_ops.moc"
