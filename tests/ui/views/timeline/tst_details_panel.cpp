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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDetailsPanel)
#include "tst_details_panel.moc"
