#include "core/change/change_text.h"
#include "core/change/gradients/partition_changes.h"
#include "ui/views/compare/schedule_row.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestScheduleRow : public QObject
{
    Q_OBJECT

private slots:
    void settingsComeBackAsTheyWereSet_data();
    void settingsComeBackAsTheyWereSet();
    void onlyTheScheduleIsWritten();
    void aChoiceMakesTheScheduleApply();
    void bucketsHaveNoSliceSize();
    void whatIsNotSetIsAsRecorded();
};

namespace {

core::Strategy settingsOf(const ScheduleRow &row)
{
    core::Strategy settings;
    row.addTo(settings);
    return settings;
}

QDoubleSpinBox *numberNamed(const ScheduleRow &row, const QString &name)
{
    for (QDoubleSpinBox *box : row.findChildren<QDoubleSpinBox *>())
        if (box->accessibleName() == name)
            return box;
    return nullptr;
}

} // namespace

void TestScheduleRow::settingsComeBackAsTheyWereSet_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringList();
    QTest::newRow("buckets") << QStringList { QStringLiteral("schedule=wfbp") };
    QTest::newRow("partitions, as P3 cuts them") << QStringList { QStringLiteral("schedule=p3") };
    QTest::newRow("partitions of a size")
        << QStringList { QStringLiteral("schedule=fifo"), QStringLiteral("partition_bytes=1") };
    QTest::newRow("partitions within a credit")
        << QStringList { QStringLiteral("schedule=p3"), QStringLiteral("credit_bytes=7") };
    QTest::newRow("the largest") << QStringList { QStringLiteral("schedule=p3"),
                                                  QStringLiteral("partition_bytes=1e12"),
                                                  QStringLiteral("credit_bytes=1e12") };
}

/// Whatever the row showed before.
void TestScheduleRow::settingsComeBackAsTheyWereSet()
{
    QFETCH(const QStringList, words);
    std::vector<std::string> given;
    for (const QString &word : words)
        given.push_back(word.toStdString());
    const core::Strategy expected = core::parseStrategy(given);
    ScheduleRow row(nullptr);
    const QSignalSpy changed(&row, &ScheduleRow::valueChanged);
    row.setValues(
        core::parseStrategy({ "schedule=fifo", "partition_bytes=300001", "credit_bytes=5000000" }));
    row.setValues(expected);
    QVERIFY(settingsOf(row) == expected);
    QCOMPARE(changed.count(), 0);
}

void TestScheduleRow::onlyTheScheduleIsWritten()
{
    ScheduleRow row(nullptr);
    core::Strategy settings = core::parseStrategy({ "latency_us=20" });
    row.addTo(settings);
    QVERIFY(settings == core::parseStrategy({ "latency_us=20" }));
    row.setValues(core::parseStrategy({ "schedule=p3", "latency_us=30" }));
    row.addTo(settings);
    QVERIFY(settings == core::parseStrategy({ "schedule=p3", "latency_us=20" }));
}

void TestScheduleRow::aChoiceMakesTheScheduleApply()
{
    ScheduleRow row(nullptr);
    const QSignalSpy changed(&row, &ScheduleRow::valueChanged);
    numberNamed(row, QStringLiteral("Partition size"))->setValue(65'536);
    QCOMPARE(changed.count(), 1);
    QVERIFY(row.findChild<QCheckBox *>()->isChecked());
    QVERIFY(settingsOf(row) == core::parseStrategy({ "schedule=p3", "partition_bytes=65536" }));
    row.findChild<QCheckBox *>()->setChecked(false);
    QCOMPARE(changed.count(), 2);
    QVERIFY(settingsOf(row).isEmpty());
}

/// "200,000 B (P3)" stood for partitions of 128 KiB, and a size alone was shown as switched off.
void TestScheduleRow::whatIsNotSetIsAsRecorded()
{
    ScheduleRow row(nullptr);
    row.setRecorded(
        core::partitionChanges(core::parseStrategy({ "schedule=fifo", "partition_bytes=131072" })));
    QCOMPARE(numberNamed(row, QStringLiteral("Partition size"))->text(),
             QStringLiteral("128.0\u202fKiB (recorded)"));
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), QStringLiteral("as recorded"));
    // A recorded credit is none of partitions of another size, or in another order.
    row.setRecorded(core::partitionChanges(
        core::parseStrategy({ "schedule=fifo", "partition_bytes=131072", "credit_bytes=524288" })));
    const QString recorded = QStringLiteral("512.0\u202fKiB (recorded)");
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), recorded);
    row.setValues(core::parseStrategy({ "schedule=p3" }));
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), QStringLiteral("no limit"));
    row.setValues(core::parseStrategy({ "partition_bytes=131072" }));
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), recorded);
    row.findChild<QCheckBox *>()->setChecked(false);
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), recorded);
    row.setValues(core::parseStrategy({ "partition_bytes=65536" }));
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), QStringLiteral("no limit"));
    QVERIFY(settingsOf(row) == core::parseStrategy({ "schedule=fifo", "partition_bytes=65536" }));
    row.setRecorded(std::nullopt);
    row.setValues({});
    QVERIFY(settingsOf(row).isEmpty());
    QCOMPARE(numberNamed(row, QStringLiteral("Credit"))->text(), QStringLiteral("no limit"));
}

/// Their sizes are other settings, so that what was set for partitions is not written for them.
void TestScheduleRow::bucketsHaveNoSliceSize()
{
    ScheduleRow row(nullptr);
    row.setValues(core::parseStrategy({ "schedule=p3", "partition_bytes=1000" }));
    QVERIFY(row.isPartitioned());
    auto *schedule = row.findChild<QComboBox *>();
    schedule->setCurrentIndex(schedule->findData(int(core::Schedule::Wfbp)));
    QVERIFY(!row.isPartitioned());
    QVERIFY(!numberNamed(row, QStringLiteral("Partition size"))->isEnabled());
    QVERIFY(!numberNamed(row, QStringLiteral("Credit"))->isEnabled());
    QVERIFY(settingsOf(row) == core::parseStrategy({ "schedule=wfbp" }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestScheduleRow)
#include "tst_schedule_row.moc"
