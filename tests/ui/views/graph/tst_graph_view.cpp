#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/pipeline/pipeline.h"
#include "ui/graph/graph_canvas.h"
#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/views/graph/block_details.h"
#include "ui/views/graph/graph_export.h"
#include "ui/views/graph/graph_view.h"

#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include <set>

using namespace ui;

namespace {

constexpr int timeoutMs = 60'000;

} // namespace

/// On the bundled sample: two ranks, DDP with two buckets.
class TestGraphView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void itDrawsPhasesAndOpensThem();
    void aClickSelectsAndTheDetailsLeadOn();
    void aFoundOperationIsOpenedSelectedAndTold();
    void aSliceThatOthersSelectIsShown();
    void onlyTheChosenRanksAreDrawn();
    void keysMoveAndStepAlongThePath();
    void zoomKeepsWhatIsUnderThePointer();
    void aWhatIfIsMarkedBesideTheRecordedJob();
    void theCriticalPathIsSelectedAndFramed();
    void anOpIsRevealedInTheIterationThatItIsIn();
    void anOpOfTheWhatIfIsRevealedInItsGraph();
    void theSelectionIsToldToAssistivePrograms();
    void aSmallBlockKeepsItsSize();
    void aPictureHasTitleAndLegend();
    void itIsExported_data();
    void itIsExported();
    void hiddenItDrawsNothing();
    void withoutAProjectItSaysSo();

private:
    std::optional<std::uint32_t> blockNamed(const char *name) const
    {
        const std::vector<core::DrawnBlock> &blocks = canvas().drawing()->blocks;
        for (std::uint32_t i = 0; i < blocks.size(); ++i)
            if (blocks[i].name == name)
                return i;
        return {};
    }
    GraphCanvas &canvas() const { return *m_view->findChild<GraphCanvas *>(); }
    void fresh();

    QTemporaryDir m_folder;
    QString m_project;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<GraphView> m_view;
};

void TestGraphView::initTestCase()
{
    applyTheme(*qApp, ThemeChoice::Light);
    m_project = m_folder.filePath(QStringLiteral("sample.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       m_project.toStdString(), {}, {});
    fresh();
}

/// Another view, as a project is opened.
void TestGraphView::fresh()
{
    m_view.reset();
    m_session = std::make_unique<Session>();
    m_view = std::make_unique<GraphView>(*m_session, nullptr);
    m_view->resize(1280, 800);
    m_view->show();
    m_session->openProject(m_project);
    QTRY_VERIFY_WITH_TIMEOUT(canvas().drawing() != nullptr, timeoutMs);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->isIdle(), timeoutMs);
}

void TestGraphView::itDrawsPhasesAndOpensThem()
{
    const auto backward = blockNamed("backward");
    QVERIFY(backward);
    const std::size_t closed = canvas().drawing()->blocks.size();
    canvas().select(*backward);
    QTest::keyClick(&canvas(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(canvas().drawing()->blocks.size() > closed, timeoutMs);
    // It stays selected, and Enter closes it.
    QVERIFY(canvas().selected());
    QCOMPARE(canvas().drawing()->blocks[*canvas().selected()].name, std::string("backward"));
    QTest::keyClick(&canvas(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(canvas().drawing()->blocks.size(), closed, timeoutMs);
}

void TestGraphView::aClickSelectsAndTheDetailsLeadOn()
{
    canvas().fit();
    canvas().select({});
    const auto transfer = std::find_if(
        canvas().drawing()->blocks.begin(), canvas().drawing()->blocks.end(),
        [](const core::DrawnBlock &b) { return b.kind == core::BlockKind::Transfer && b.path; });
    QVERIFY(transfer != canvas().drawing()->blocks.end());
    const double pixels = canvas().width() - GraphCanvas::NamesWidth;
    const double x = GraphCanvas::NamesWidth
        + (transfer->left + transfer->right) / 2 / canvas().drawing()->width * pixels;
    const double y = GraphCanvas::RulerHeight + canvas().rows().top[transfer->row] + 8;
    QTest::mouseClick(&canvas(), Qt::LeftButton, {}, QPoint(int(x), int(y)));
    QVERIFY(canvas().selected());
    QCOMPARE(canvas().drawing()->blocks[*canvas().selected()].kind, core::BlockKind::Transfer);
    auto &details = *m_view->findChild<BlockDetails *>();
    const QString text = details.toPlainText();
    QVERIFY2(text.contains(QLatin1String("On the critical path for")), qPrintable(text));
    QVERIFY(text.contains(QLatin1String("Waits for")));
    QVERIFY(text.contains(QLatin1String("rank 1")));
    const QSignalSpy revealed(m_session.get(), &Session::revealRequested);
    emit details.timelineRequested();
    QCOMPARE(revealed.size(), 1);
    QTest::keyClick(&canvas(), Qt::Key_T);
    QCOMPARE(revealed.size(), 2);
    emit details.blockChosen(*blockNamed("forward"));
    QCOMPARE(canvas().selected(), blockNamed("forward"));
}

void TestGraphView::aFoundOperationIsOpenedSelectedAndTold()
{
    const QSignalSpy selected(m_session.get(), &Session::selectionChanged);
    QLineEdit *found = nullptr;
    for (QLineEdit *edit : m_view->findChildren<QLineEdit *>())
        if (edit->accessibleName() == QLatin1String("Find operations"))
            found = edit;
    QVERIFY(found != nullptr);
    QLineEdit &search = *found;
    search.setText(QStringLiteral("flatten"));
    QTest::keyClick(&search, Qt::Key_Return);
    const auto isSelected = [this] {
        return canvas().selected()
            && canvas().drawing()->blocks[*canvas().selected()].name == "aten::flatten";
    };
    QTRY_VERIFY_WITH_TIMEOUT(isSelected(), timeoutMs);
    QVERIFY(!selected.isEmpty());
    QVERIFY(m_session->selectedSlice());
}

void TestGraphView::aSliceThatOthersSelectIsShown()
{
    fresh();
    const core::Graph &graph = *m_session->graph();
    core::SliceId wanted = core::NoSlice;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == "aten::linear"
            && graph.iteration[op]
                == static_cast<std::int32_t>(m_session->result()->typicalIteration))
            wanted = graph.slice[op];
    QVERIFY(wanted != core::NoSlice);
    m_session->select(wanted);
    const auto isSelected = [this] {
        return canvas().selected()
            && canvas().drawing()->blocks[*canvas().selected()].name == "aten::linear";
    };
    QTRY_VERIFY_WITH_TIMEOUT(isSelected(), timeoutMs);
}

void TestGraphView::onlyTheChosenRanksAreDrawn()
{
    QLineEdit *ranks = nullptr;
    for (QLineEdit *edit : m_view->findChildren<QLineEdit *>())
        if (edit->accessibleName() == QLatin1String("Ranks"))
            ranks = edit;
    QVERIFY(ranks != nullptr);
    const auto groups = [this] {
        std::set<std::string> all;
        for (const core::DrawnLane &lane : canvas().drawing()->lanes)
            all.insert(lane.group);
        return all;
    };
    ranks->setText(QStringLiteral("1"));
    QTest::keyClick(ranks, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(groups() == (std::set<std::string> { "rank 1", "links" }), timeoutMs);
    ranks->clear();
    QTest::keyClick(ranks, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(groups().contains("rank 0"), timeoutMs);
}

void TestGraphView::keysMoveAndStepAlongThePath()
{
    canvas().fit();
    canvas().select({});
    const double whole = canvas().to() - canvas().from();
    QTest::keyClick(&canvas(), Qt::Key_W);
    QVERIFY(canvas().to() - canvas().from() < whole);
    const double from = canvas().from();
    QTest::keyClick(&canvas(), Qt::Key_D);
    QVERIFY(canvas().from() > from);
    QTest::keyClick(&canvas(), Qt::Key_Home);
    QCOMPARE(canvas().from(), 0.0);
    QTest::keyClick(&canvas(), Qt::Key_BracketRight);
    QCOMPARE(*canvas().selected(), canvas().drawing()->path.front().block);
    QTest::keyClick(&canvas(), Qt::Key_BracketRight);
    QCOMPARE(*canvas().selected(), canvas().drawing()->path[1].block);
    QTest::keyClick(&canvas(), Qt::Key_Escape);
    QVERIFY(!canvas().selected());
}

void TestGraphView::zoomKeepsWhatIsUnderThePointer()
{
    canvas().fit();
    const QPointF at(GraphCanvas::NamesWidth + 300, 100);
    const auto placeAt = [&] {
        return canvas().from()
            + 300 * (canvas().to() - canvas().from())
            / (canvas().width() - GraphCanvas::NamesWidth);
    };
    const double before = placeAt();
    QWheelEvent wheel(at, canvas().mapToGlobal(at), {}, QPoint(0, 240), Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas(), &wheel);
    QVERIFY(std::abs(placeAt() - before) < 1e-6 * before);
}

void TestGraphView::aWhatIfIsMarkedBesideTheRecordedJob()
{
    auto &which = *m_view->findChild<QComboBox *>();
    m_session->predict(core::parseStrategy({ "bucket_cap_mb=5" }));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->isIdle() && m_session->prediction() != nullptr, timeoutMs);
    QVERIFY(which.isVisible());
    which.setCurrentIndex(1);
    emit which.activated(1);
    const auto transfers = [this] {
        std::size_t count = 0;
        for (const core::DrawnBlock &block : canvas().drawing()->blocks)
            count += block.kind == core::BlockKind::Transfer ? 1 : 0;
        return count;
    };
    QTRY_COMPARE_WITH_TIMEOUT(transfers(), std::size_t(3), timeoutMs); // instead of 2
    bool isTold = false;
    for (const QLabel *label : m_view->findChildren<QLabel *>())
        isTold = isTold || label->text().contains(QLatin1String("blocks added"));
    QVERIFY(isTold);
    bool isLongestTold = false;
    for (const QLabel *label : m_view->findChildren<QLabel *>())
        isLongestTold = isLongestTold
            || label->text().contains(
                QLatin1String("Longest on the critical path: all_reduce 16.0 MiB, "));
    QVERIFY(isLongestTold);
}

void TestGraphView::theCriticalPathIsSelectedAndFramed()
{
    fresh();
    canvas().zoomBy(8);
    const QSignalSpy shown(m_session.get(), &Session::viewRequested);
    m_session->revealInGraph({ .isPath = true });
    QCOMPARE(shown.front().front().toString(), QStringLiteral("graph"));
    QTRY_VERIFY_WITH_TIMEOUT(!canvas().alsoSelected().empty(), timeoutMs);
    const core::Drawing &drawing = *canvas().drawing();
    std::set<std::uint32_t> path,
        selected(canvas().alsoSelected().begin(), canvas().alsoSelected().end());
    for (const core::PathStep &step : drawing.path)
        path.insert(step.block);
    selected.insert(*canvas().selected());
    QCOMPARE(selected, path);
    // The longest of it is what the details are of: the transfer that the sample is about.
    QCOMPARE(drawing.blocks[*canvas().selected()].kind, core::BlockKind::Transfer);
    QVERIFY(canvas().from() <= drawing.path.front().left);
    QVERIFY(canvas().to() >= drawing.path.back().right - 1);
    canvas().select(path.empty() ? std::nullopt : std::optional(*path.begin()));
    QVERIFY(canvas().alsoSelected().empty());
}

void TestGraphView::anOpIsRevealedInTheIterationThatItIsIn()
{
    fresh();
    auto &iterations = *m_view->findChildren<QComboBox *>()[1];
    const core::Graph &graph = *m_session->graph();
    const auto typical = static_cast<std::int32_t>(m_session->result()->typicalIteration);
    const std::int32_t other = typical == 1 ? 2 : 1;
    core::SliceId wanted = core::NoSlice;
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == "aten::linear" && graph.iteration[op] == other)
            wanted = graph.slice[op];
    QVERIFY(wanted != core::NoSlice);
    m_session->revealInGraph({ .slice = wanted });
    const auto isSelected = [this] {
        return canvas().selected()
            && canvas().drawing()->blocks[*canvas().selected()].name == "aten::linear";
    };
    QTRY_VERIFY_WITH_TIMEOUT(isSelected(), timeoutMs);
    QCOMPARE(iterations.currentIndex(), other);
    const core::DrawnBlock &block = canvas().drawing()->blocks[*canvas().selected()];
    QVERIFY(canvas().from() <= block.left && canvas().to() >= block.right);
    // Framed: it takes most of the width.
    QVERIFY((canvas().to() - canvas().from()) < 2 * (block.right - block.left));
    QCOMPARE(m_session->selectedSlice(), std::optional(wanted));
}

void TestGraphView::anOpOfTheWhatIfIsRevealedInItsGraph()
{
    fresh();
    m_session->predict(core::parseStrategy({ "bucket_cap_mb=5" }));
    QTRY_VERIFY_WITH_TIMEOUT(m_session->isIdle() && m_session->prediction() != nullptr, timeoutMs);
    const core::Graph &graph = *m_session->prediction()->graph;
    core::OpId transfer;
    for (const core::CollectiveNode &node : graph.collectives)
        if (graph.iteration[node.transfer.value]
            == static_cast<std::int32_t>(m_session->prediction()->typicalIteration))
            transfer = node.transfer;
    m_session->revealInGraph({ .isWhatIf = true, .op = transfer });
    const auto isSelected = [this] {
        return canvas().selected()
            && canvas().drawing()->blocks[*canvas().selected()].kind == core::BlockKind::Transfer;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isSelected(), timeoutMs);
    QCOMPARE(m_view->findChild<QComboBox *>()->currentIndex(), 1);
    QVERIFY(canvas().difference() != nullptr);
    // What is written is marked as what is shown.
    const QString file = m_folder.filePath(QStringLiteral("what-if.svg"));
    writeGraph(canvas(), QStringLiteral("A title"), file);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray svg = written.readAll();
    for (const char *entry : { ">added</text>", ">moved</text>", ">where it was</text>" })
        QVERIFY2(svg.contains(entry), entry);
    QVERIFY(!svg.contains(">removed</text>")); // in rows that are gone
}

void TestGraphView::theSelectionIsToldToAssistivePrograms()
{
    fresh();
    canvas().select(*blockNamed("backward"));
    QVERIFY2(canvas().accessibleDescription().startsWith(QLatin1String("backward, rank ")),
             qPrintable(canvas().accessibleDescription()));
    QVERIFY(canvas().accessibleDescription().contains(QLatin1String("Duration ")));
    canvas().select({});
    QVERIFY(canvas().accessibleDescription().isEmpty());
}

/// "all_reduce 5.8..." lost what tells it from others.
void TestGraphView::aSmallBlockKeepsItsSize()
{
    core::Block block;
    block.name = "all_reduce";
    block.bytes = 6'081'741;
    block.detail = "weight";
    const auto within = [&block](double characters) {
        return core::titleWithin(block, characters, [](const std::string &text) {
            return static_cast<double>(QString::fromStdString(text).size());
        });
    };
    QCOMPARE(within(30), std::string("all_reduce 5.80 MiB weight"));
    QCOMPARE(within(20), std::string("all_reduce 5.80 MiB"));
    QCOMPARE(within(16), std::string("all_re\u2026 5.80 MiB"));
    QCOMPARE(within(10), std::string("5.80 MiB"));
    QCOMPARE(within(6), std::string());
    block.bytes = 0;
    block.detail.clear();
    QCOMPARE(within(10), std::string("all_reduce"));
    QCOMPARE(within(6), std::string("all_r\u2026"));
    QCOMPARE(within(2), std::string());
}

void TestGraphView::aPictureHasTitleAndLegend()
{
    fresh();
    const QString file = m_folder.filePath(QStringLiteral("whole.png"));
    writeGraph(canvas(), QStringLiteral("A title"), file);
    const QImage titled(file);
    writeGraph(canvas(), {}, file);
    const QImage untitled(file);
    QVERIFY(!titled.isNull() && titled.size() == untitled.size());
    const int title = static_cast<int>(titled.height() - 2 * canvas().heightOfAll()) / 4;
    QVERIFY(titled.copy(0, 0, 400, title) != untitled.copy(0, 0, 400, title));
    const QImage legend = titled.copy(0, titled.height() - 48, titled.width(), 48);
    const QRgb ground = themeOf(canvas().palette()).background.rgb();
    std::set<QRgb> colours;
    for (int x = 0; x < legend.width(); ++x)
        colours.insert(legend.pixel(x, legend.height() / 2));
    QVERIFY(colours.size() > 3 && colours.contains(ground));
}

void TestGraphView::itIsExported_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QByteArray>("start");
    QTest::newRow("png") << QStringLiteral("png") << QByteArray("\x89PNG");
    QTest::newRow("svg") << QStringLiteral("svg") << QByteArray("<svg");
    QTest::newRow("dot") << QStringLiteral("dot") << QByteArray("digraph");
    QTest::newRow("graphml") << QStringLiteral("graphml") << QByteArray("<?xml");
}

void TestGraphView::itIsExported()
{
    QFETCH(const QString, suffix);
    QFETCH(const QByteArray, start);
    const QString file = m_folder.filePath(QStringLiteral("graph.") + suffix);
    writeGraph(canvas(), QStringLiteral("A title"), file);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll().startsWith(start));
    QVERIFY_THROWS_EXCEPTION(core::Error,
                             writeGraph(canvas(), {}, m_folder.filePath(QStringLiteral("a.txt"))));
}

void TestGraphView::hiddenItDrawsNothing()
{
    GraphView hidden(*m_session, nullptr);
    auto &drawn = *hidden.findChild<GraphCanvas *>();
    QVERIFY(m_session->selfReplay() != nullptr);
    QCoreApplication::processEvents();
    QCOMPARE(drawn.drawing(), nullptr);
    hidden.show();
    QTRY_VERIFY_WITH_TIMEOUT(drawn.drawing() != nullptr, timeoutMs);
}

void TestGraphView::withoutAProjectItSaysSo()
{
    m_session->closeProject();
    QCOMPARE(canvas().drawing(), nullptr);
    bool isTold = false;
    for (const QLabel *label : m_view->findChildren<QLabel *>())
        isTold = isTold || (label->isVisible() && label->text().contains(QLatin1String("project")));
    QVERIFY(isTold);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGraphView)
#include "tst_graph_view.moc"
