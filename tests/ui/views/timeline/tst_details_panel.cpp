#include "ui/views/timeline/details_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include <algorithm>

using namespace ui;

class TestDetailsPanel : public QObject
{
    Q_OBJECT

private slots:
    void rowsAreAsHighAsTheirText();
    void aLinkShowsWhatThePanelHasRoomFor();
    void theCriticalPathIsSplitIntoItsParts();

private:
    static SliceDetails details();
};

SliceDetails TestDetailsPanel::details()
{
    SliceDetails details;
    details.name = QStringLiteral("aten::empty_like");
    details.facts = { { QStringLiteral("Track"),
                        QStringLiteral("rank 0 \u00b7 thread 1701896 (cuda-cloverleaf)") },
                      { QStringLiteral("Category"), QStringLiteral("cpu_op") } };
    details.predecessors = {
        { core::SliceId(7),
          QStringLiteral("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"),
          QStringLiteral("rank 1") }
    };
    return details;
}

/// A value of two lines had room for three: the next fact stood apart from it.
void TestDetailsPanel::rowsAreAsHighAsTheirText()
{
    DetailsPanel panel;
    panel.resize(330, 600);
    panel.show();
    panel.showDetails(details());
    const auto labels = panel.widget()->findChildren<QLabel *>();
    const auto isTrack
        = [](const QLabel *label) { return label->text().startsWith(QLatin1String("rank 0")); };
    const auto track = std::find_if(labels.begin(), labels.end(), isTrack);
    QVERIFY(track != labels.end());
    QTRY_VERIFY((*track)->width() > 100);
    QVERIFY((*track)->height() > (*track)->fontMetrics().height()); // more than one line
    QCOMPARE((*track)->height(), (*track)->heightForWidth((*track)->width()));
}

void TestDetailsPanel::aLinkShowsWhatThePanelHasRoomFor()
{
    DetailsPanel panel;
    panel.resize(300, 600);
    panel.show();
    panel.showDetails(details());
    const auto *link = panel.widget()->findChild<QPushButton *>();
    QVERIFY(link != nullptr);
    const QString whole = details().predecessors.front().name;
    QVERIFY(link->text() != whole);
    QVERIFY(link->text().contains(QChar(0x2026)));
    QTRY_VERIFY(link->geometry().right() < panel.viewport()->width());
    QCOMPARE(link->accessibleName(), whole);
    panel.resize(1200, 600);
    QTRY_COMPARE(link->text(), whole);
    panel.resize(300, 600);
    QTRY_VERIFY(link->text() != whole);
}

/// While the path was shown, the panel said no more than how to select a slice.
void TestDetailsPanel::theCriticalPathIsSplitIntoItsParts()
{
    core::Diagnosis diagnosis;
    QVERIFY(pathSplit(diagnosis).rows.empty());
    diagnosis.hasIterations = true;
    core::CriticalPathReport &path = diagnosis.criticalPath;
    path.iteration = 4;
    path.iterations.resize(2);
    path.computeNs = 75'000'000;
    path.commNs = 25'000'000;
    const PathSplit split = pathSplit(diagnosis);
    QVERIFY(split.note.startsWith(QStringLiteral("Iteration 4, nearest to the median: 100")));
    QCOMPARE(split.rows.size(), std::size_t(2)); // nothing of what takes no time
    QCOMPARE(split.rows[1].first, QStringLiteral("Communication, transfer"));
    QVERIFY(split.rows[1].second.contains(QStringLiteral("25")));
    DetailsPanel panel;
    panel.showPath(split, QStringLiteral("Select a slice."));
    const auto labels = panel.widget()->findChildren<QLabel *>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [&](const QLabel *label) { return label->text() == split.note; }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDetailsPanel)
#include "tst_details_panel.moc"
