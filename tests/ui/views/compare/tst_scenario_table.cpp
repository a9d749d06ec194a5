#include "core/pipeline/pipeline.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/session/strategy_shelf.h"
#include "ui/views/compare/scenarios/scenario_list.h"
#include "ui/views/compare/scenarios/scenario_model.h"
#include "ui/views/compare/scenarios/scenario_table.h"

#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// Scenarios are strategies that the project keeps.
class TestScenarioTable : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void rowsAreTheMeasuredOneTheKeptAndWhatIsShown();
    void whatIsSetCanBeKeptRenamedDeletedAndUndone();
    void spaceShowsTheRowBelow();
    void anyTwoAreAboveAndBelow();
    void aStrategyThatDoesNotFitSaysWhy();

private:
    QTableView &table() const { return *m_table->findChild<QTableView *>(); }
    QAbstractItemModel &model() const { return *table().model(); }
    QPushButton &button(const QString &text) const;
    QString cell(int row, int column) const { return model().index(row, column).data().toString(); }
    void click(int row, int column) const;
    bool awaitJudged(const core::Strategy &strategy) const;

    static constexpr int TimeoutMs = 120'000;
    QTemporaryDir m_folder;
    QString m_project;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<ScenarioTable> m_table;
};

void TestScenarioTable::initTestCase()
{
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       m_project.toStdString(), {}, {});
}

void TestScenarioTable::init()
{
    m_table.reset();
    m_session = std::make_unique<Session>();
    m_table = std::make_unique<ScenarioTable>(*m_session, nullptr);
    new QAbstractItemModelTester(&model(), QAbstractItemModelTester::FailureReportingMode::QtTest,
                                 m_table.get());
    m_table->resize(1000, 200);
    m_table->show();
    m_session->openProject(m_project);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->diagnosis() != nullptr && m_session->isIdle(), TimeoutMs);
    QTRY_VERIFY(m_session->shelf().isEditable());
    for (const core::SavedStrategy &kept : std::vector(m_session->shelf().strategies()))
        m_session->shelf().remove(kept.id);
    m_session->history().stack().clear();
}

QPushButton &TestScenarioTable::button(const QString &text) const
{
    for (QPushButton *button : m_table->findChildren<QPushButton *>())
        if (button->text() == text)
            return *button;
    qFatal("There is no such button.");
}

void TestScenarioTable::click(int row, int column) const
{
    const QRect box = table().visualRect(model().index(row, column));
    QTest::mouseClick(table().viewport(), Qt::LeftButton, {}, box.center());
}

bool TestScenarioTable::awaitJudged(const core::Strategy &strategy) const
{
    return QTest::qWaitFor(
        [&] {
            const auto shown = m_session->prediction();
            return shown != nullptr && shown->strategy == strategy && shown->isJudged
                && m_session->isIdle();
        },
        TimeoutMs);
}

void TestScenarioTable::rowsAreTheMeasuredOneTheKeptAndWhatIsShown()
{
    QTRY_COMPARE(model().rowCount(), 1);
    QCOMPARE(cell(0, ScenarioModel::Name), QStringLiteral("Measured"));
    QCOMPARE(cell(0, ScenarioModel::Above), QStringLiteral("\u25cf"));
    QCOMPARE(cell(0, ScenarioModel::Below), QStringLiteral("\u25cf"));
    QVERIFY(!button(QStringLiteral("Keep")).isEnabled());
    m_session->predict({ { "bucket_cap_mb", 5.0 } });
    QVERIFY(awaitJudged({ { "bucket_cap_mb", 5.0 } }));
    QTRY_COMPARE(model().rowCount(), 2);
    QCOMPARE(cell(1, ScenarioModel::Name), QStringLiteral("Bucket size 5 MiB"));
    QCOMPARE(cell(0, ScenarioModel::Below), QStringLiteral("\u25cb"));
    QCOMPARE(cell(1, ScenarioModel::Below), QStringLiteral("\u25cf"));
    QVERIFY(!model().index(1, ScenarioModel::Name).flags().testFlag(Qt::ItemIsEditable));
    // Parts were the mean in ms beside a median: they did not fit it.
    const auto header = [this](int column, int role) {
        return model().headerData(column, Qt::Horizontal, role).toString();
    };
    QCOMPARE(header(ScenarioModel::Iteration, Qt::DisplayRole), QStringLiteral("Median iteration"));
    for (const int column : { ScenarioModel::Compute, ScenarioModel::Exposed }) {
        QVERIFY(header(column, Qt::DisplayRole).endsWith(QStringLiteral(", share")));
        QVERIFY(!header(column, Qt::ToolTipRole).isEmpty());
        QVERIFY2(cell(1, column).endsWith(u'%'), qPrintable(cell(1, column)));
    }
}

void TestScenarioTable::whatIsSetCanBeKeptRenamedDeletedAndUndone()
{
    m_session->predict({ { "bucket_cap_mb", 5.0 } });
    QVERIFY(awaitJudged({ { "bucket_cap_mb", 5.0 } }));
    QTRY_VERIFY(button(QStringLiteral("Keep")).isEnabled());
    const QString time = cell(1, ScenarioModel::Iteration);
    button(QStringLiteral("Keep")).click();
    QTRY_VERIFY(!button(QStringLiteral("Keep")).isEnabled()); // it is kept
    QCOMPARE(model().rowCount(), 2);
    QCOMPARE(cell(1, ScenarioModel::Iteration), time);
    QCOMPARE(cell(1, ScenarioModel::Trust), QStringLiteral("good"));
    QVERIFY(cell(1, ScenarioModel::Interval).contains(QStringLiteral(" to ")));
    model().setData(model().index(1, ScenarioModel::Name), QStringLiteral("Small buckets"));
    QTRY_COMPARE(cell(1, ScenarioModel::Name), QStringLiteral("Small buckets"));
    // It is in the project, as the command line reads it.
    QTRY_VERIFY(!m_session->shelf().isBusy());
    const auto stored = core::savedStrategies(m_project.toStdString());
    QCOMPARE(stored.size(), std::size_t { 1 });
    QCOMPARE(stored.front().name, std::string("Small buckets"));
    const core::StrategyFile file
        = core::parseStrategyFile(stored.front().file, "s", m_session->predictor()->job());
    QVERIFY(file.strategy == (core::Strategy { { "bucket_cap_mb", 5.0 } }));
    m_session->clearPrediction();
    table().setCurrentIndex(model().index(1, ScenarioModel::Name));
    QTRY_VERIFY(button(QStringLiteral("Delete")).isEnabled());
    button(QStringLiteral("Delete")).click();
    QTRY_COMPARE(model().rowCount(), 1);
    m_session->history().stack().undo();
    QTRY_COMPARE(model().rowCount(), 2);
    m_session->history().stack().undo();
    QTRY_COMPARE(cell(1, ScenarioModel::Name), QStringLiteral("Bucket size 5 MiB"));
}

void TestScenarioTable::spaceShowsTheRowBelow()
{
    m_session->predict({ { "bucket_cap_mb", 5.0 } });
    QVERIFY(awaitJudged({ { "bucket_cap_mb", 5.0 } }));
    QTRY_COMPARE(model().rowCount(), 2);
    QVERIFY(QTest::qWaitForWindowActive(m_table.get()));
    table().setFocus();
    table().setCurrentIndex(model().index(0, ScenarioModel::Name));
    QTest::keyClick(&table(), Qt::Key_Space);
    QTRY_VERIFY(m_session->prediction() == nullptr);
}

void TestScenarioTable::anyTwoAreAboveAndBelow()
{
    const core::Strategy first { { "bucket_cap_mb", 5.0 } }, second { { "bandwidth_scale", 2.0 } };
    for (const core::Strategy &strategy : { first, second }) {
        m_session->predict(strategy);
        QVERIFY(awaitJudged(strategy));
        QTRY_VERIFY(button(QStringLiteral("Keep")).isEnabled());
        button(QStringLiteral("Keep")).click();
        QTRY_VERIFY(!button(QStringLiteral("Keep")).isEnabled());
    }
    QCOMPARE(model().rowCount(), 3);
    click(2, ScenarioModel::Above);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->reference() != nullptr, TimeoutMs);
    QVERIFY(m_session->reference()->strategy == second);
    click(1, ScenarioModel::Below);
    QVERIFY(awaitJudged(first));
    QTRY_COMPARE(cell(2, ScenarioModel::Above), QStringLiteral("\u25cf"));
    QTRY_COMPARE(cell(1, ScenarioModel::Below), QStringLiteral("\u25cf"));
    click(0, ScenarioModel::Above);
    QTRY_VERIFY(m_session->reference() == nullptr);
    click(0, ScenarioModel::Below);
    QTRY_VERIFY(m_session->prediction() == nullptr);
}

void TestScenarioTable::aStrategyThatDoesNotFitSaysWhy()
{
    m_session->shelf().add(QStringLiteral("broken"), "{}");
    QTRY_COMPARE(model().rowCount(), 2);
    QCOMPARE(cell(1, ScenarioModel::Name), QStringLiteral("broken"));
    QVERIFY(!model().index(1, ScenarioModel::Name).data(Qt::ToolTipRole).toString().isEmpty());
    QString told;
    connect(m_table.get(), &ScenarioTable::told, this,
            [&told](const QString &message) { told = message; });
    click(1, ScenarioModel::Below);
    QVERIFY(told.contains(QStringLiteral("broken")));
    QVERIFY(m_session->prediction() == nullptr);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestScenarioTable)
#include "tst_scenario_table.moc"
