#include "core/analyze/groups/group_calls.h"

#include <QTest>

#include <cmath>

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
    void callsAreCountedByStep();
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
    QTest::newRow("embeddings") << embeddings << QByteArray("embedding");
    GroupUse named { { { "all_reduce", { 0, 0, 0, 6 } } }, false, true, false };
    QTest::newRow("named tensors") << named << QByteArray("data");
}

void TestGroupRoles::useSuggestsRoles()
{
    QFETCH(const GroupUse, use);
    QFETCH(const QByteArray, role);
    const InferredRole found = inferredRole(use);
    QCOMPARE(QByteArray::fromStdString(std::string(groupRoleName(found.role))), role);
    QVERIFY(found.role == GroupRole::Unknown || !found.meaning.empty());
}

void TestGroupRoles::callsAreCountedByStep()
{
    GroupCalls calls;
    for (const WorkerId worker : { WorkerId(0), WorkerId(1) })
        for (std::size_t step = 0; step < 110; ++step) {
            for (std::size_t i = 0; i < 2 + step % 2; ++i)
                calls.add("all_reduce", Phase::Backward, worker, step);
            if (step % 50 == 0)
                calls.add("broadcast", Phase::None, worker, step);
            if (step == 7 && worker == WorkerId(1))
                for (int i = 0; i < 12; ++i)
                    calls.add("all_reduce", Phase::Input, worker, step);
        }
    QCOMPARE(
        calls.text(110, " a step"),
        std::string(
            "2 to 3 all_reduce in the backward pass a step; 12 all_reduce elsewhere in 1 of 110 "
            "steps; 1 broadcast in 3 of 110 steps"));
    QCOMPARE(calls.means(220).at("all_reduce").backward, 2.5);
    QVERIFY(std::abs(calls.means(220).at("broadcast").other - 3.0 / 110) < 1e-9);
    QVERIFY(!calls.isEmpty() && GroupCalls().isEmpty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGroupRoles)
#include "tst_group_roles.moc"
