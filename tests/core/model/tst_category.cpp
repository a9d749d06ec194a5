#include "core/model/category.h"

#include <QTest>

#include <set>

using namespace core;

class TestCategory : public QObject
{
    Q_OBJECT

private slots:
    void aKernelHasTheRoleOfItsPhase_data();
    void aKernelHasTheRoleOfItsPhase();
    void whatIsNoComputeHasOneRole();
    void everyRoleHasANameOfItsOwn();
};

void TestCategory::aKernelHasTheRoleOfItsPhase_data()
{
    QTest::addColumn<int>("phase");
    QTest::addColumn<QByteArray>("ofKernel");
    QTest::addColumn<QByteArray>("ofCpuOp");
    const auto row = [](Phase phase, const char *ofKernel, const char *ofCpuOp) {
        QTest::newRow(phaseName(phase).data())
            << static_cast<int>(phase) << QByteArray(ofKernel) << QByteArray(ofCpuOp);
    };
    row(Phase::Forward, "forward", "forward");
    row(Phase::Backward, "backward", "backward");
    row(Phase::Optimizer, "optimizer", "optimizer");
    row(Phase::Input, "input", "input");
    // It was shown as forward compute. Of ops most are bookkeeping around those of a phase.
    row(Phase::None, "unknown", "host");
}

void TestCategory::aKernelHasTheRoleOfItsPhase()
{
    QFETCH(const int, phase);
    QFETCH(const QByteArray, ofKernel);
    QFETCH(const QByteArray, ofCpuOp);
    const auto name = [phase](Category category) {
        return QByteArray::fromStdString(
            std::string(roleName(roleOf(category, static_cast<Phase>(phase)))));
    };
    QCOMPARE(name(Category::Kernel), ofKernel);
    QCOMPARE(name(Category::CpuOp), ofCpuOp);
}

void TestCategory::whatIsNoComputeHasOneRole()
{
    for (const Phase phase : { Phase::None, Phase::Backward }) {
        QCOMPARE(roleOf(Category::CommKernel, phase), Role::Communication);
        QCOMPARE(roleOf(Category::Memcpy, phase), Role::Memory);
        QCOMPARE(roleOf(Category::Runtime, phase), Role::Host);
        QCOMPARE(roleOf(Category::Span, phase), Role::Annotation);
    }
}

void TestCategory::everyRoleHasANameOfItsOwn()
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < RoleCount; ++i)
        names.insert(roleName(static_cast<Role>(i)));
    QCOMPARE(names.size(), RoleCount);
    QCOMPARE(static_cast<std::size_t>(Role::Unknown), RoleCount - 1);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCategory)
#include "tst_category.moc"
