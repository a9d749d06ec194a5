#include "core/analyze/group_roles.h"

#include <QTest>

using namespace core;

/// What a process group is for, by its description or its use.
class TestGroupRoles : public QObject
{
    Q_OBJECT

private slots:
    void descriptionsSayRoles_data();
    void descriptionsSayRoles();
    void useSuggestsRoles_data();
    void useSuggestsRoles();
    void theEvidenceCounts();
};

void TestGroupRoles::descriptionsSayRoles_data()
{
    QTest::addColumn<QByteArray>("description");
    QTest::addColumn<QByteArray>("role");
    const auto row = [](const char *description, const char *role) {
        QTest::newRow(*description != '\0' ? description : "nothing")
            << QByteArray(description) << QByteArray(role);
    };
    row("TENSOR_MODEL_PARALLEL_GROUP", "tensor");
    row("DATA_PARALLEL_GROUP", "data");
    row("INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP", "unknown");
    row("PIPELINE_MODEL_PARALLEL_GROUP", "pipeline");
    row("EXPERT_MODEL_PARALLEL_GROUP", "expert");
    row("EXPERT_DATA_PARALLEL_GROUP", "data");
    row("EXPERT_TENSOR_PARALLEL_GROUP", "tensor");
    row("CONTEXT_PARALLEL_GROUP", "context");
    row("TENSOR_AND_DATA_PARALLEL_GROUP", "unknown");
    row("MODEL_PARALLEL_GROUP", "unknown");
    row("mesh_tp", "tensor");
    row("mesh_dp_shard", "data");
    row("mesh_pp", "pipeline");
    row("default_pg", "unknown");
    row("undefined", "unknown");
    row("", "unknown");
}

void TestGroupRoles::descriptionsSayRoles()
{
    QFETCH(const QByteArray, description);
    QFETCH(const QByteArray, role);
    QCOMPARE(QByteArray::fromStdString(std::string(groupRoleName(statedRole(description.data())))),
             role);
}

Q_DECLARE_METATYPE(core::GroupUse)

void TestGroupRoles::useSuggestsRoles_data()
{
    QTest::addColumn<GroupUse>("use");
    QTest::addColumn<QByteArray>("role");
    const auto row = [](const char *name, std::map<std::string, GroupUse::Calls> perStep,
                        const char *role, bool hasBackward = true) -> GroupUse & {
        static std::vector<GroupUse> uses;
        uses.push_back({ std::move(perStep), hasBackward, false, false });
        QTest::newRow(name) << uses.back() << QByteArray(role);
        return uses.back();
    };
    // Calls a step: forward, backward, optimizer, not known when.
    row("gradient buckets", { { "all_reduce", { 0, 6, 0, 0 } } }, "data");
    row("gradient buckets and buffers",
        { { "all_reduce", { 0, 6, 0, 0 } }, { "broadcast", { 2, 0, 0, 0 } } }, "data");
    row("tensor parallel layers", { { "all_reduce", { 80, 80, 0, 0 } } }, "tensor");
    row("a forward pass alone", { { "all_reduce", { 84, 0, 0, 0 } } }, "tensor", false);
    row("one loss", { { "all_reduce", { 1, 0, 0, 0 } } }, "unknown", false);
    row("more forward than backward", { { "all_reduce", { 9, 2, 0, 0 } } }, "unknown");
    row("sequence parallel layers",
        { { "all_gather", { 40, 40, 0, 0 } }, { "reduce_scatter", { 40, 40, 0, 0 } } }, "tensor");
    row("sharded parameters",
        { { "all_gather", { 12, 12, 0, 0 } }, { "reduce_scatter", { 0, 12, 0, 0 } } }, "data");
    row("sharded optimizer",
        { { "all_gather", { 0, 0, 1, 0 } }, { "reduce_scatter", { 0, 3, 0, 0 } } }, "data");
    row("activations", { { "send", { 4, 4, 0, 0 } }, { "recv", { 4, 4, 0, 0 } } }, "pipeline");
    row("tokens", { { "all_to_all", { 8, 8, 0, 0 } } }, "expert");
    row("tokens one way", { { "all_to_all", { 8, 0, 0, 0 } } }, "unknown");
    row("what may be anything", { { "send_recv", { 4, 1, 0, 0 } } }, "unknown");
    row("when is not known", { { "all_reduce", { 0, 0, 0, 6 } } }, "unknown");
    row("nothing", {}, "unknown");
    GroupUse embeddings { { { "all_to_all", { 2, 2, 0, 0 } } }, true, false, true };
    QTest::newRow("embeddings") << embeddings << QByteArray("unknown");
    GroupUse named { { { "all_reduce", { 0, 0, 0, 6 } } }, false, true, false };
    QTest::newRow("named tensors") << named << QByteArray("data");
}

void TestGroupRoles::useSuggestsRoles()
{
    QFETCH(const GroupUse, use);
    QFETCH(const QByteArray, role);
    const InferredRole found = inferredRole(use);
    QCOMPARE(QByteArray::fromStdString(std::string(groupRoleName(found.role))), role);
    QVERIFY(!found.evidence.empty());
}

void TestGroupRoles::theEvidenceCounts()
{
    const GroupUse use {
        { { "all_reduce", { 0, 2.5, 0, 0 } }, { "broadcast", { 12, 0, 0, 0 } } }, true, false, false
    };
    QCOMPARE(inferredRole(use).evidence,
             std::string("2.5 all_reduce in the backward pass, 12 broadcast in the forward pass a "
                         "step: gradients are reduced"));
}

QTEST_GUILESS_MAIN(TestGroupRoles)
#include "tst_group_roles.moc"
