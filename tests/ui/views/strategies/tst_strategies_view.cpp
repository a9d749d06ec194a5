#include "core/optimize/search_words.h"
#include "core/optimize/strategy_file.h"
#include "tests/ui/views/strategies/opened_sample.h"
#include "ui/session/strategy_search.h"
#include "ui/theme/theme.h"
#include "ui/views/strategies/candidates_model.h"
#include "ui/views/strategies/config_pane.h"
#include "ui/views/strategies/later_run_pane.h"
#include "ui/views/strategies/saved_list.h"
#include "ui/views/strategies/steps_model.h"
#include "ui/views/strategies/strategies_view.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>

using namespace ui;

namespace {

constexpr int TimeoutMs = 60'000;

template <class Widget>
Widget *strategyWidget(const QWidget &view, const QString &text)
{
    for (Widget *one : view.findChildren<Widget *>())
        if (one->text() == text)
            return one;
    return nullptr;
}

} // namespace

/// On the sample, whose buckets of 25 MiB are too large.
class StrategiesViewTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void init()
    {
        m_view.reset();
        m_session = m_sample.open();
        QVERIFY(m_session != nullptr);
        m_view = std::make_unique<StrategiesView>(*m_session, nullptr);
        m_view->resize(1400, 900);
        m_view->show();
        QVERIFY(QTest::qWaitFor([this] { return m_view->isReadyForScreenshot(); }, TimeoutMs));
    }
    void whatIsFoundIsThatOfTheCommandLine();
    void aPausedSearchWaits();
    void aStoppedSearchEnds();
    void aSearchThatAChangeEndsSaysSo();
    void threeClicksCopyAConfig();
    void aFoundStrategyIsSavedAndShownAgain();
    void aFoundStrategyIsCompared();
    void twoFoundStrategiesAreCompared();
    void ofNothingChosenNothingIsSearched();
    void anotherSystemIsTriedOnlyWhereChosen();
    void modelsKeepTheirPromises();
    void aLaterRunIsCompared();
    void aProjectCanBeClosedWhateverRuns_data();
    void aProjectCanBeClosedWhateverRuns();

private:
    QPushButton &button(const char *text) const
    {
        return *strategyWidget<QPushButton>(*m_view, QString::fromUtf8(text));
    }
    bool search()
    {
        button("Optimize").click();
        return QTest::qWaitFor([this] { return m_session->search().result() != nullptr; },
                               TimeoutMs);
    }
    QTableView &results() const
    {
        for (QTableView *table : m_view->findChildren<QTableView *>())
            if (qobject_cast<CandidatesModel *>(table->model()) != nullptr)
                return *table;
        qFatal("There is no table of results.");
    }

    tests::OpenedSample m_sample;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<StrategiesView> m_view;
};

void StrategiesViewTest::whatIsFoundIsThatOfTheCommandLine()
{
    QVERIFY(search());
    const auto shown = m_session->search().result();
    core::SearchRequest request;
    core::Search search(*m_session->predictor(), request, {}, {});
    const core::SearchResult wanted = search.run();
    QVERIFY(wanted.advised() != nullptr);
    QVERIFY(shown->advised() != nullptr);
    QVERIFY(shown->advised()->strategy == wanted.advised()->strategy);
    QCOMPARE(shown->advised()->predictedNs, wanted.advised()->predictedNs);
    QCOMPARE(results().model()->rowCount(), static_cast<int>(wanted.candidates.size()));
    QVERIFY(!m_session->search().steps().empty());
    QCOMPARE(m_session->search().steps().size(), shown->steps.size());
}

void StrategiesViewTest::aPausedSearchWaits()
{
    StrategySearch &search = m_session->search();
    button("Optimize").click();
    search.setPaused(true);
    QVERIFY(search.isPaused());
    QVERIFY(button("Resume").isVisible());
    QTest::qWait(300);
    const std::size_t steps = search.steps().size();
    QTest::qWait(300);
    QVERIFY(search.isRunning());
    QCOMPARE(search.steps().size(), steps);
    button("Resume").click();
    QVERIFY(!search.isPaused());
    QVERIFY(QTest::qWaitFor([&] { return search.result() != nullptr; }, TimeoutMs));
    QVERIFY(!search.result()->isStopped);
}

void StrategiesViewTest::aStoppedSearchEnds()
{
    StrategySearch &search = m_session->search();
    button("Optimize").click();
    search.setPaused(true);
    button("Stop").click(); // it does not wait for the pause's end
    QVERIFY(QTest::qWaitFor([&] { return !search.isRunning(); }, TimeoutMs));
    QVERIFY(search.result() == nullptr || search.result()->isStopped);
    QVERIFY(button("Optimize").isEnabled());
    QVERIFY(!button("Stop").isVisible());
}

/// It was gone without a word.
void StrategiesViewTest::aSearchThatAChangeEndsSaysSo()
{
    StrategySearch &search = m_session->search();
    const auto isTold = [this] {
        const auto labels = m_view->findChildren<QLabel *>();
        return std::ranges::any_of(labels, [](const QLabel *label) {
            return label->text().startsWith(QStringLiteral("The search ended: the project"));
        });
    };
    button("Optimize").click();
    search.setPaused(true); // it does not end by itself
    QVERIFY(search.isRunning() && !isTold());
    m_session->reopen();
    QVERIFY(!search.isRunning() && search.isCutOff());
    QVERIFY(isTold());
    QVERIFY(QTest::qWaitFor([this] { return m_session->predictor() != nullptr; }, TimeoutMs));
    QVERIFY(isTold());
    button("Optimize").click();
    QVERIFY(!search.isCutOff() && !isTold());
    search.stop();
    QVERIFY(QTest::qWaitFor([&] { return !search.isRunning(); }, TimeoutMs));
    m_session->closeProject();
    QVERIFY(!search.isCutOff());
}

void StrategiesViewTest::threeClicksCopyAConfig()
{
    QSignalSpy views(m_session.get(), &Session::viewRequested);
    m_session->requestSearch(); // the link of a bottleneck: one
    QCOMPARE(views.front().front().toString(), QStringLiteral("strategies"));
    QVERIFY(QTest::qWaitFor([this] { return m_session->search().result() != nullptr; }, TimeoutMs));
    m_view->findChild<QTabWidget *>()->setCurrentIndex(1); // two
    const auto *config = m_view->findChild<ConfigPane *>();
    QVERIFY(QTest::qWaitFor([&] { return !config->text().isEmpty(); }, TimeoutMs));
    button("Copy").click(); // three
    const QString copied = QApplication::clipboard()->text();
    QCOMPARE(copied, config->text());
    QVERIFY(copied.contains(QStringLiteral("BUCKET_CAP_MB")));
}

void StrategiesViewTest::aFoundStrategyIsSavedAndShownAgain()
{
    QVERIFY(search());
    const std::string name = m_session->search().result()->advised()->change;
    button("Save in the project").click();
    auto *list = m_view->findChild<SavedList *>()->findChild<QListWidget *>();
    QVERIFY(QTest::qWaitFor([&] { return list->count() == 1; }));
    QCOMPARE(list->item(0)->text().toStdString(), name);
    m_session->search().clear();
    QCOMPARE(results().model()->rowCount(), 0);
    list->setCurrentRow(0);
    QVERIFY(button("Show in Compare").isEnabled());
    QVERIFY(!button("Save in the project").isEnabled());
}

void StrategiesViewTest::aFoundStrategyIsCompared()
{
    QVERIFY(search());
    QSignalSpy views(m_session.get(), &Session::viewRequested);
    button("Show in Compare").click();
    QCOMPARE(views.front().front().toString(), QStringLiteral("compare"));
    QVERIFY(QTest::qWaitFor([this] { return m_session->prediction() != nullptr; }, TimeoutMs));
    QCOMPARE(m_session->prediction()->predictedNs,
             m_session->search().result()->advised()->predictedNs);
}

void StrategiesViewTest::twoFoundStrategiesAreCompared()
{
    QVERIFY(search());
    QVERIFY(results().model()->rowCount() > 1);
    results().selectionModel()->select(results().model()->index(1, 0),
                                       QItemSelectionModel::Select | QItemSelectionModel::Rows);
    button("Compare both").click();
    QVERIFY(QTest::qWaitFor([this] { return m_session->isIdle() && m_session->reference(); },
                            TimeoutMs));
    const auto &candidates = m_session->search().result()->candidates;
    QCOMPARE(m_session->prediction()->predictedNs, candidates[0].predictedNs);
    QCOMPARE(m_session->reference()->predictedNs, candidates[1].predictedNs);
}

void StrategiesViewTest::ofNothingChosenNothingIsSearched()
{
    for (QCheckBox *box : m_view->findChildren<QCheckBox *>())
        box->setChecked(false);
    QVERIFY(!button("Optimize").isEnabled());
}

void StrategiesViewTest::anotherSystemIsTriedOnlyWhereChosen()
{
    QVERIFY(search());
    for (const core::SearchStep &step : m_session->search().steps())
        QVERIFY(step.pass != "horovod_fusion" && step.pass != "compression");
    strategyWidget<QCheckBox>(*m_view, QStringLiteral("Half precision for what is sent"))
        ->setChecked(true);
    QVERIFY(search());
    const auto &candidates = m_session->search().result()->candidates;
    QVERIFY(std::any_of(candidates.begin(), candidates.end(), [](const core::Candidate &one) {
        return one.numerics == core::Numerics::Reduced;
    }));
}

void StrategiesViewTest::modelsKeepTheirPromises()
{
    CandidatesModel candidates(nullptr);
    StepsModel steps(nullptr);
    const QAbstractItemModelTester ofCandidates(&candidates), ofSteps(&steps);
    QVERIFY(search());
    const auto result = m_session->search().result();
    candidates.setResult(result);
    steps.setSteps(core::stepsTo(*result, result->candidates.front()));
    QCOMPARE(candidates.rowCount(), static_cast<int>(result->candidates.size()));
    QVERIFY(steps.rowCount() > 0);
    for (int column = 0; column < candidates.columnCount(); ++column)
        QVERIFY(!candidates.index(0, column).data().toString().isEmpty());
    candidates.setResult(nullptr);
    QCOMPARE(candidates.rowCount(), 0);
}

void StrategiesViewTest::aLaterRunIsCompared()
{
    auto *pane = m_view->findChild<LaterRunPane *>();
    const auto has = [pane](const QString &start) {
        const auto labels = pane->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [&start](const QLabel *label) {
            return label->text().startsWith(start);
        });
    };
    m_view->findChild<QTabWidget *>()->setCurrentIndex(2);
    pane->setLaterRun(m_sample.path()); // the same run
    QVERIFY(QTest::qWaitFor([&] { return !pane->isBusy(); }, TimeoutMs));
    QVERIFY(has(QStringLiteral("No difference")));
    // It does not have the buckets that are advised.
    QVERIFY(search());
    QVERIFY(QTest::qWaitFor([&] { return !pane->isBusy(); }, TimeoutMs));
    QVERIFY(has(QStringLiteral("Inconclusive")));
    pane->setLaterRun(QStringLiteral("nowhere.longpole"));
    QVERIFY(QTest::qWaitFor([&] { return !pane->isBusy(); }, TimeoutMs));
    QVERIFY(has(QStringLiteral("nowhere.longpole")));
}

void StrategiesViewTest::aProjectCanBeClosedWhateverRuns_data()
{
    QTest::addColumn<bool>("isPaused");
    QTest::addColumn<bool>("isReopened");
    for (const bool isPaused : { false, true })
        for (const bool isReopened : { false, true })
            QTest::addRow("%s, %s", isPaused ? "paused" : "searching",
                          isReopened ? "another one is opened" : "closed")
                << isPaused << isReopened;
}

void StrategiesViewTest::aProjectCanBeClosedWhateverRuns()
{
    QFETCH(const bool, isPaused);
    QFETCH(const bool, isReopened);
    m_view->findChild<LaterRunPane *>()->setLaterRun(m_sample.path());
    button("Optimize").click();
    m_session->search().setPaused(isPaused);
    m_view->findChild<QTabWidget *>()->setCurrentIndex(1);
    if (isReopened)
        m_session->openProject(m_sample.path());
    else
        m_session->closeProject();
    QVERIFY(!m_session->search().isRunning());
    QVERIFY(m_session->search().steps().empty());
    QCOMPARE(results().model()->rowCount(), 0);
    QVERIFY(QTest::qWaitFor([this] { return m_session->isIdle(); }, TimeoutMs));
    QCOMPARE(m_session->diagnosis() != nullptr, isReopened);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(StrategiesViewTest)
#include "tst_strategies_view.moc"
