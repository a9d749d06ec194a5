#include "ui/theme/theme.h"
#include "ui/views/summary/bottleneck_row.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>
#include <QWindow>

#include <algorithm>

using namespace ui;

class TestBottleneckRow : public QObject
{
    Q_OBJECT

private slots:
    void noLineIsCut();
    void theGainHasAnInterval();
    void evidenceIsShownWhereItIsAskedFor();
    void linksAreClickedByThemselves();
    void itSaysWhyAGainHasNone();
};

/// In small windows the row was two lines too low, and a paragraph lost its first and last one.
void TestBottleneckRow::noLineIsCut()
{
    applyTheme(*qApp, ThemeChoice::Light);
    core::Bottleneck bottleneck;
    bottleneck.title = "Accelerators wait for the host";
    bottleneck.reason = "Most of it is because of cudaMalloc.";
    bottleneck.evidence
        = { "On the critical path the host takes 74.05 ms of the iteration nearest to the median.",
            "Longest host operations on it: cudaMalloc on rank 2, 6.156 ms; cudaMalloc on rank 2, "
            "2.509 ms; aten::split_with_sizes on rank 2, 2.011 ms.",
            "Longest between operations per iteration: rank 0 between cudaEventElapsedTime and "
            "cudaEventElapsedTime 64.00 ms (87 % of its time between operations; the median of the "
            "others: 59.30 ms); rank 2 between aten::view and _AlltoAllSingle 20.20 ms (30 % of "
            "its time between operations; the median of the others: 47.67 us); rank 1 between "
            "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad and "
            "autograd::engine::evaluate_function: ReluBackward0 582.3 us (0.8 % of its time "
            "between operations; the median of the others: 411.3 us).",
            "Accelerators are idle for 81.09 ms of an iteration on average.",
            "Upper bound: longpole replay PROJECT --set host_overhead_scale=0 predicts 122.5 ms "
            "instead of 157.4 ms. The host takes no time in it." };
    bottleneck.advice = "Launch less: torch.compile(mode='reduce-overhead') or CUDA graphs, larger "
                        "batches, and no calls in the loop that wait for the device (.item(), "
                        "print of a tensor, torch.cuda.synchronize()).";
    QWidget page;
    auto *section = new QWidget(&page);
    auto *row = new BottleneckRow(
        bottleneck, 1, { 34'900'000, QStringLiteral("%1 of the iteration") }, false, section);
    (new QVBoxLayout(section))->addWidget(row);
    (new QVBoxLayout(&page))->addWidget(section);
    page.layout()->setSizeConstraint(QLayout::SetNoConstraint); // the summary scrolls
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    for (QPushButton *link : row->findChildren<QPushButton *>())
        if (link->text() == QLatin1String("Evidence"))
            link->click();
    for (int width = 700; width < 1200; width += 7) {
        page.resize(width, page.heightForWidth(width));
        QCoreApplication::sendPostedEvents();
        for (const QLabel *label : row->findChildren<QLabel *>())
            if (label->wordWrap())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                         qPrintable(QStringLiteral("%1: %2").arg(width).arg(label->text())));
    }
}

void TestBottleneckRow::evidenceIsShownWhereItIsAskedFor()
{
    core::Bottleneck bottleneck;
    bottleneck.title = "Communication";
    bottleneck.evidence = { "Communication takes 601.0 ms." };
    bottleneck.advice = "Send fewer bytes. Half precision does.";
    BottleneckRow row(bottleneck, 1, { 1, QStringLiteral("%1 of the iteration") }, false, nullptr);
    row.show();
    QVERIFY(QTest::qWaitForWindowExposed(&row));
    const auto shown = [&row] {
        QString texts;
        for (const QLabel *label : row.findChildren<QLabel *>())
            if (label->isVisible())
                texts += label->text();
        return texts;
    };
    QVERIFY(shown().contains(QStringLiteral("Send fewer bytes.")));
    QVERIFY(!shown().contains(QStringLiteral("Communication takes")));
    QPushButton *const link = row.findChildren<QPushButton *>().constFirst();
    const int height = row.heightForWidth(900);
    QTest::keyClick(link, Qt::Key_Space);
    QVERIFY(shown().contains(QStringLiteral("Communication takes")));
    QVERIFY(shown().contains(QStringLiteral("Half precision does.")));
    QVERIFY(row.heightForWidth(900) > height);
    link->click();
    QVERIFY(!shown().contains(QStringLiteral("Communication takes")));
}

/// The row itself is a button; a click on a link of it is none on the row.
void TestBottleneckRow::linksAreClickedByThemselves()
{
    core::Bottleneck bottleneck;
    bottleneck.title = "Communication";
    bottleneck.strategy = { { "comm_scale", 0.0 } };
    bottleneck.slice = core::SliceId(7);
    BottleneckRow row(bottleneck, 1, { 1, QStringLiteral("%1 of the iteration") }, true, nullptr);
    row.resize(900, row.heightForWidth(900));
    row.show();
    QVERIFY(QTest::qWaitForWindowExposed(&row));
    QSignalSpy shown(&row, &QAbstractButton::clicked), tried(&row, &BottleneckRow::tryRequested),
        searched(&row, &BottleneckRow::searchRequested),
        drawn(&row, &BottleneckRow::graphRequested);
    const auto clickOn = [&row](const QString &text) {
        for (QPushButton *link : row.findChildren<QPushButton *>())
            if (link->text() == text)
                QTest::mouseClick(row.windowHandle(), Qt::LeftButton, {},
                                  link->mapTo(&row, link->rect().center()));
    };
    clickOn(QStringLiteral("Show in graph"));
    QCOMPARE(drawn.count(), 1);
    for (QPushButton *link : row.findChildren<QPushButton *>())
        if (link->text() == QLatin1String("Show in graph")) {
            QVERIFY(link->focusPolicy() & Qt::TabFocus);
            QTest::keyClick(link, Qt::Key_Space);
        }
    QCOMPARE(drawn.count(), 2);
    clickOn(QStringLiteral("Find the best buckets"));
    QCOMPARE(searched.count(), 1);
    clickOn(QStringLiteral("Try it in Compare"));
    QCOMPARE(tried.count(), 1);
    QCOMPARE(shown.count(), 0);
    QTest::mouseClick(row.windowHandle(), Qt::LeftButton, {}, { row.width() / 2, 4 });
    QCOMPARE(shown.count(), 1);
}

void TestBottleneckRow::theGainHasAnInterval()
{
    applyTheme(*qApp, ThemeChoice::Light);
    core::Bottleneck bottleneck;
    bottleneck.title = "Communication";
    bottleneck.gainNs = 200'000'000;
    BottleneckRow row(bottleneck, 1, { 200'000'000, QStringLiteral("%1 of the iteration") }, false,
                      nullptr);
    const auto texts = [&row] {
        QStringList found;
        for (const QLabel *label : row.findChildren<QLabel *>())
            found << label->text().replace(QChar(0x202F), QLatin1Char(' '));
        return found;
    };
    QVERIFY(texts().filter(QStringLiteral("95 %")).isEmpty());
    row.setGainInterval(core::GainInterval { 190'000'000, 215'000'000 }, {});
    QCOMPARE(texts().filter(QStringLiteral("95 %")),
             QStringList { QStringLiteral("95 %: \u2212190.0 ms to \u2212215.0 ms") });
    row.setGainInterval(core::GainInterval { 0, 215'000'000 }, {});
    QCOMPARE(texts().filter(QStringLiteral("95 %")),
             QStringList { QStringLiteral("may be nothing\n95 %: 0 ns to \u2212215.0 ms") });
}

void TestBottleneckRow::itSaysWhyAGainHasNone()
{
    applyTheme(*qApp, ThemeChoice::Light);
    core::Bottleneck bottleneck;
    bottleneck.unknownInterval = "one iteration is recorded";
    const BottleneckRow row(bottleneck, 1, { 1, QStringLiteral("%1 of the iteration") }, false,
                            nullptr);
    QVERIFY(row.toolTip().contains(QStringLiteral("one iteration is recorded")));
    const auto labels = row.findChildren<QLabel *>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
        return label->text() == QStringLiteral("interval not known");
    }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestBottleneckRow)
#include "tst_bottleneck_row.moc"
