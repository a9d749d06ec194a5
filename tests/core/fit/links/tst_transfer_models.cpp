#include "core/fit/links/transfer_models.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class TransferModelsTest : public QObject
{
    Q_OBJECT

private slots:
    void halvesOfAnAllReduceHaveHalfOfItsLatency();
    void whatIsFittedGoesBeforeHalves();
};

namespace {

CollectiveNode nodeOf(const char *kind)
{
    CollectiveNode node;
    node.name = kind;
    return node;
}

LinkModel fittedModel(const char *kind, double alphaNs)
{
    LinkModel model;
    model.kind = kind;
    model.alphaNs = alphaNs;
    model.steps = 6;
    model.betaNsPerByte = 2;
    return model;
}

} // namespace

/// A ring's all-reduce takes 2(n-1) steps, each half n-1; a byte on the wire takes as long.
void TransferModelsTest::halvesOfAnAllReduceHaveHalfOfItsLatency()
{
    const Trace trace;
    const DeviceId link(3);
    const LinkModels links { { { link, "all_reduce" }, fittedModel("all_reduce", 100) } };
    TransferModels models(links, trace);
    QCOMPARE(models.of(link, nodeOf("all_reduce")), &links.begin()->second);
    for (const char *kind : { "reduce_scatter", "all_gather" }) {
        const LinkModel *const half = models.of(link, nodeOf(kind));
        QVERIFY(half != nullptr);
        QCOMPARE(half->alphaNs, 50.0);
        QCOMPARE(half->steps, 3.0);
        QCOMPARE(half->betaNsPerByte, 2.0);
    }
    QVERIFY(models.of(link, nodeOf("broadcast")) == nullptr);
    QVERIFY(models.of(DeviceId(4), nodeOf("all_gather")) == nullptr);
}

void TransferModelsTest::whatIsFittedGoesBeforeHalves()
{
    const Trace trace;
    const DeviceId link(3);
    const LinkModels links { { { link, "all_reduce" }, fittedModel("all_reduce", 100) },
                             { { link, "all_gather" }, fittedModel("all_gather", 70) } };
    TransferModels models(links, trace);
    QCOMPARE(models.of(link, nodeOf("all_gather"))->alphaNs, 70.0);
    QCOMPARE(models.of(link, nodeOf("reduce_scatter"))->alphaNs, 50.0);
}

LONGPOLE_TEST(TransferModelsTest)
#include "tst_transfer_models.moc"
