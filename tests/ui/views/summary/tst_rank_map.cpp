#include "tests/support/unit_test.h"
#include "ui/theme/theme.h"
#include "ui/views/summary/rank_map.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

namespace {

constexpr std::int64_t RankMapMs = 1'000'000;

/// Of `ranks` alike ranks, rank `late` makes the others wait.
core::SummaryData jobOf(std::size_t ranks, std::size_t late)
{
    core::SummaryData data;
    data.hasIterations = data.hasWaits = true;
    for (std::size_t i = 0; i < ranks; ++i) {
        core::RankParts parts;
        parts.rank = static_cast<int>(i);
        parts.computeNs = (i == late ? 90 : 10) * RankMapMs;
        parts.exposedCommNs = parts.exposedWaitNs = (i == late ? 0 : 80) * RankMapMs;
        parts.idleNs = 10 * RankMapMs;
        parts.lateNs = i == late ? 80 * RankMapMs : 0;
        parts.place = core::SliceId(static_cast<std::uint32_t>(100 + i));
        data.ranks.push_back(parts);
    }
    return data;
}

} // namespace

class TestRankMap : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void aClickAndEnterShowTheRank();
    void whereRanksAreNarrowerThanPixelsTheLateOneIsSeen_data();
    void whereRanksAreNarrowerThanPixelsTheLateOneIsSeen();
    void withoutWaitsThereAreTwoRows();
};

void TestRankMap::aClickAndEnterShowTheRank()
{
    RankMap map(jobOf(8, 3), nullptr);
    map.resize(900, map.sizeHint().height());
    map.show();
    QVERIFY(QTest::qWaitForWindowExposed(&map));
    QSignalSpy shown(&map, &RankMap::rankActivated);
    int x = 0;
    while (map.rankAt({ static_cast<double>(x), 5.0 }) != std::optional<std::size_t>(3))
        ++x;
    QTest::mouseClick(&map, Qt::LeftButton, {}, { x + 4, 5 });
    QCOMPARE(shown.count(), 1);
    QCOMPARE(shown[0][0].value<core::SliceId>(), core::SliceId(103));
    QTest::keyClick(&map, Qt::Key_Right);
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(shown.count(), 2);
    QCOMPARE(shown[1][0].value<core::SliceId>(), core::SliceId(104));
    QVERIFY(map.accessibleDescription().contains(QStringLiteral("rank 4")));
    QTest::keyClick(&map, Qt::Key_End);
    QTest::keyClick(&map, Qt::Key_Right);
    QCOMPARE(map.current(), std::size_t { 7 });
    QVERIFY(!map.rankAt({ 1, 5 }));
}

void TestRankMap::whereRanksAreNarrowerThanPixelsTheLateOneIsSeen_data()
{
    QTest::addColumn<int>("ranks");
    for (const int ranks : { 64, 1024, 3000 })
        QTest::addRow("%d", ranks) << ranks;
}

/// Darker than its neighbours in the row of the ranks that make others wait.
void TestRankMap::whereRanksAreNarrowerThanPixelsTheLateOneIsSeen()
{
    QFETCH(const int, ranks);
    const std::size_t late = static_cast<std::size_t>(ranks) / 3;
    RankMap map(jobOf(static_cast<std::size_t>(ranks), late), nullptr);
    map.resize(900, map.sizeHint().height());
    const QImage picture = map.grab().toImage();
    const int row = map.height() - 20 - 13; // the last one above the numbers
    int darkest = 0;
    for (int x = 0; x < picture.width(); ++x)
        if (map.rankAt({ static_cast<double>(x), 5.0 })
            && picture.pixelColor(x, row).lightness()
                < picture.pixelColor(darkest, row).lightness())
            darkest = x;
    const auto found = map.rankAt({ static_cast<double>(darkest), 5.0 });
    QVERIFY(found.has_value());
    QVERIFY(std::abs(static_cast<double>(*found) - static_cast<double>(late))
            <= static_cast<double>(ranks) / 500);
}

void TestRankMap::withoutWaitsThereAreTwoRows()
{
    core::SummaryData data = jobOf(4, 0);
    const int height = RankMap(data, nullptr).sizeHint().height();
    data.hasWaits = false;
    QCOMPARE(height - RankMap(data, nullptr).sizeHint().height(), 2 * 26);
}

LONGPOLE_TEST(TestRankMap)
#include "tst_rank_map.moc"
