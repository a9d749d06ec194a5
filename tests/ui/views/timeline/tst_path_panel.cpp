#include "core/pipeline/pipeline.h"
#include "ui/session/session.h"
#include "ui/timeline/timeline_ruler.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/timeline/path_model.h"
#include "ui/views/timeline/path_panel.h"
#include "ui/views/timeline/timeline_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

using namespace ui;

/// On the sample of two ranks.
class TestPathPanel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void thePartsAddUpToThePath();
    void aPartListsWhatIsBehindIt();
    void anotherIterationIsPickedInTheRuler();
    void aStepSelectsTheNextLongSegment();

private:
    PathModel &model() const { return *m_view->findChild<PathModel *>(); }
    QComboBox &iterations() const
    {
        return *m_view->findChild<PathPanel *>()->findChild<QComboBox *>();
    }

    QTemporaryDir m_folder;
    QString m_project;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<TimelineView> m_view;
};

void TestPathPanel::initTestCase()
{
    const std::filesystem::path sample
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    m_project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ sample }, m_project.toStdString(), {}, {});
}

void TestPathPanel::init()
{
    constexpr int PatienceMs = 60'000;
    m_view.reset();
    m_session = std::make_unique<Session>();
    m_view = std::make_unique<TimelineView>(*m_session, nullptr);
    m_view->resize(1200, 800);
    m_view->show();
    m_session->openProject(m_project);
    m_session->setCriticalPathShown(true);
    QTRY_VERIFY_WITH_TIMEOUT(model().rowCount() > 0, PatienceMs);
    QVERIFY(m_view->findChild<PathPanel *>()->isVisible());
}

void TestPathPanel::thePartsAddUpToThePath()
{
    const QAbstractItemModelTester tester(&model());
    const core::CriticalPathReport &path = m_session->diagnosis()->criticalPath;
    std::int64_t listedNs = 0;
    for (int row = 0; row < model().rowCount(); ++row)
        listedNs += model().segment(row).durationNs;
    QCOMPARE(listedNs, path.totalNs());
    QCOMPARE(iterations().count(), static_cast<int>(path.iterations.size()));
}

void TestPathPanel::aPartListsWhatIsBehindIt()
{
    auto &parts = *m_view->findChild<PathPanel *>()->findChild<QTreeWidget *>();
    const auto transfer = parts.findItems(QStringLiteral("Transfer"), Qt::MatchExactly);
    QCOMPARE(transfer.size(), 1);
    parts.setCurrentItem(transfer.front());
    std::int64_t listedNs = 0;
    for (int row = 0; row < model().rowCount(); ++row) {
        QCOMPARE(model().segment(row).kind, std::string("comm"));
        listedNs += model().segment(row).durationNs;
    }
    QCOMPARE(listedNs, m_session->diagnosis()->criticalPath.commNs);
}

void TestPathPanel::anotherIterationIsPickedInTheRuler()
{
    const auto &state = m_view->findChild<TimelineWidget *>()->state();
    auto &ruler = *m_view->findChild<TimelineRuler *>();
    const auto &paths = m_session->diagnosis()->criticalPath.iterations;
    const int before = iterations().currentIndex();
    const std::size_t other = before == 0 ? 1 : 0;
    const auto mark = std::ranges::find(state.iterations(), std::optional(paths[other].index),
                                        &TimelineIteration::index);
    QVERIFY(mark != state.iterations().end());
    const double x = state.axis().xOf(mark->range.startNs + mark->range.durationNs() / 2);
    QTest::mouseClick(&ruler, Qt::LeftButton, {}, QPoint(static_cast<int>(x), 8));
    QTRY_COMPARE(model().rowCount() > 0 ? iterations().currentIndex() : before,
                 static_cast<int>(other));
    const auto listedNs = [this] {
        std::int64_t sumNs = 0;
        for (int row = 0; row < model().rowCount(); ++row)
            sumNs += model().segment(row).durationNs;
        return sumNs;
    };
    QTRY_COMPARE(listedNs(), paths[other].parts.totalNs());
}

void TestPathPanel::aStepSelectsTheNextLongSegment()
{
    QTest::keyClick(m_view.get(), Qt::Key_BracketRight, Qt::AltModifier);
    m_view->findChild<PathPanel *>()->step(+1);
    QVERIFY(m_session->selectedSlice().has_value());
    const auto row = model().rowOf(*m_session->selectedSlice());
    QVERIFY(row.has_value());
    const double wholeNs = static_cast<double>(m_session->diagnosis()->criticalPath.totalNs());
    const core::TimeRange visible = m_view->findChild<TimelineWidget *>()->state().visible();
    const auto *table = m_view->findChild<PathPanel *>()->findChild<QTableView *>();
    QVERIFY(table->selectionModel()->hasSelection());
    const core::PathSegment &segment = model().segment(table->currentIndex().row());
    QVERIFY(static_cast<double>(segment.durationNs) > 0.01 * wholeNs);
    QVERIFY(visible.overlaps(model().shownRange(table->currentIndex().row())));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPathPanel)
#include "tst_path_panel.moc"
