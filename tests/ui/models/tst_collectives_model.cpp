#include "ui/models/collectives_model.h"
#include "ui/models/collectives_order.h"
#include "ui/widgets/format.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ui;

namespace {

std::shared_ptr<const core::Diagnosis> twoCollectives()
{
    auto diagnosis = std::make_shared<core::Diagnosis>();
    core::CollectiveReport small;
    small.name = "all_reduce";
    small.bytes = 1 << 20;
    small.lastRank = 1;
    small.ranks.resize(2);
    small.ranks[0].slice = core::SliceId { 7 };
    small.ranks[0].waitNs = 2'000'000;
    small.ranks[0].transferNs = 10'000'000;
    small.ranks[1].slice = core::SliceId { 8 };
    core::CollectiveReport large = small;
    large.group = "dp";
    large.sequence = 1;
    large.bytes = 25 << 20;
    large.ranks[0].waitNs = 90'000'000;
    diagnosis->collectives = { small, large };
    return diagnosis;
}

QString cell(const QAbstractItemModel &model, int row, int column)
{
    return model.index(row, column).data().toString().replace(QChar(0x202F), QLatin1Char(' '));
}

} // namespace

class TestCollectivesModel : public QObject
{
    Q_OBJECT

private slots:
    void isAProperModel();
    void showsWaitAndTransferWithUnits();
    void sortsByValueNotByText();
    void namesTheRankThatWaitedLongest();
    void tellsWhatTheGroupIsFor();
};

void TestCollectivesModel::isAProperModel()
{
    CollectivesModel model(nullptr);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    model.setSnapshot(twoCollectives());
    QCOMPARE(model.rowCount(), 2);
    model.setSnapshot(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void TestCollectivesModel::showsWaitAndTransferWithUnits()
{
    CollectivesModel model(nullptr);
    model.setSnapshot(twoCollectives());
    QCOMPARE(cell(model, 0, CollectivesModel::NameColumn), QStringLiteral("all_reduce"));
    QCOMPARE(cell(model, 0, CollectivesModel::GroupColumn), QStringLiteral("default"));
    QCOMPARE(cell(model, 0, CollectivesModel::BytesColumn), QStringLiteral("1.000 MiB"));
    QCOMPARE(cell(model, 0, CollectivesModel::WaitColumn), QStringLiteral("2.000 ms"));
    QCOMPARE(cell(model, 0, CollectivesModel::TransferColumn), QStringLiteral("10.00 ms"));
    QCOMPARE(cell(model, 0, CollectivesModel::LastRankColumn), QStringLiteral("1"));
}

void TestCollectivesModel::sortsByValueNotByText()
{
    CollectivesModel model(nullptr);
    model.setSnapshot(twoCollectives());
    CollectivesOrder sorted(model, nullptr);
    sorted.sort(CollectivesModel::WaitColumn, Qt::DescendingOrder);
    QCOMPARE(cell(sorted, 0, CollectivesModel::WaitColumn), QStringLiteral("90.00 ms"));
    sorted.sort(CollectivesModel::BytesColumn, Qt::AscendingOrder);
    QCOMPARE(cell(sorted, 0, CollectivesModel::BytesColumn), QStringLiteral("1.000 MiB"));
    sorted.sort(CollectivesModel::GroupColumn, Qt::DescendingOrder);
    QCOMPARE(cell(sorted, 0, CollectivesModel::GroupColumn), QStringLiteral("dp"));
}

void TestCollectivesModel::namesTheRankThatWaitedLongest()
{
    const auto diagnosis = twoCollectives();
    QCOMPARE(longestWait(diagnosis->collectives[0])->slice, core::SliceId { 7 });
    QVERIFY(longestWait(core::CollectiveReport {}) == nullptr);
}

void TestCollectivesModel::tellsWhatTheGroupIsFor()
{
    auto diagnosis = std::make_shared<core::Diagnosis>(*twoCollectives());
    core::ProcessGroup group;
    group.kind = diagnosis->collectives[0].name;
    group.name = diagnosis->collectives[0].group;
    group.ranks = { 0, 1 };
    group.evidence = "Gradients are reduced.";
    diagnosis->groups = { group };
    CollectivesModel model(nullptr);
    model.setSnapshot(diagnosis);
    QCOMPARE(cell(model, 0, CollectivesModel::GroupColumn), QStringLiteral("default"));

    diagnosis->groups[0].role = core::GroupRole::Data;
    diagnosis->groups[0].basis = core::RoleBasis::Inferred;
    model.setSnapshot(diagnosis);
    QCOMPARE(cell(model, 0, CollectivesModel::GroupColumn),
             QStringLiteral("data parallel, ranks 0-1 (inferred)"));
    QCOMPARE(model.index(0, CollectivesModel::GroupColumn).data(Qt::ToolTipRole).toString(),
             toolTipParagraphs(QStringLiteral("Group default: data parallel, ranks 0-1 "
                                              "(inferred). Gradients are reduced.")));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCollectivesModel)
#include "tst_collectives_model.moc"
