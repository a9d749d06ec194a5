#include "ui/timeline_sources/clock_map.h"
#include "ui/timeline_sources/level_of_detail.h"

#include <QTest>

#include <numeric>

class TestLevelOfDetail : public QObject
{
    Q_OBJECT

private slots:
    void anyZoomReadsABoundedNumberOfBoxes()
    {
        std::vector<ui::TimelineBox> boxes(200'000);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const auto start = static_cast<std::int64_t>(i) * 1000;
            boxes[i] = { .startNs = start, .endNs = start + 600, .busyNs = 600, .id = i };
        }
        const ui::LevelOfDetail levels(boxes);
        for (std::int64_t duration = 10'000; duration <= 200'000'000; duration *= 3) {
            std::vector<ui::TimelineBox> found;
            levels.read({ 0, duration }, duration / 1000, found);
            QVERIFY2(found.size() <= 10'000, qPrintable(QString::number(found.size())));
            const auto slices = std::accumulate(
                found.begin(), found.end(), std::uint64_t { 0 },
                [](std::uint64_t sum, const auto &box) { return sum + box.count; });
            QVERIFY(slices >= static_cast<std::uint64_t>(duration / 1000));
            for (const ui::TimelineBox &box : found) {
                QCOMPARE(box.busyNs, std::int64_t { box.count } * 600);
            }
        }
    }

    void aWideBoxIsNeverMergedAway()
    {
        std::vector<ui::TimelineBox> boxes;
        for (std::int64_t i = 0; i < 10'000; ++i) {
            const std::int64_t length = i == 5000 ? 90'000'000 : 10;
            const std::int64_t start = boxes.empty() ? 0 : boxes.back().endNs + 10;
            boxes.push_back({ .startNs = start,
                              .endNs = start + length,
                              .busyNs = length,
                              .id = static_cast<std::uint64_t>(i) });
        }
        std::vector<ui::TimelineBox> found;
        ui::LevelOfDetail(boxes).read({ 0, boxes.back().endNs }, 100'000, found);
        QVERIFY(std::ranges::any_of(
            found, [](const ui::TimelineBox &box) { return box.id == 5000 && box.count == 1; }));
    }

    void anEmptyRowReadsNothing()
    {
        std::vector<ui::TimelineBox> found;
        ui::LevelOfDetail(std::vector<ui::TimelineBox>()).read({ 0, 100 }, 1, found);
        QVERIFY(found.empty());
    }

    void clocksGoBothWays()
    {
        core::AlignmentReport report;
        report.workers.resize(2);
        report.workers[1].worker = core::WorkerId(1);
        report.workers[1].offsetNs = -123'456'789;
        report.workers[1].driftPpm = 35;
        report.workers[1].driftFromNs = 1'700'000'000'000'000'000;
        const ui::ClockMap clocks(report);
        const std::int64_t raw = 1'700'000'012'345'678'901;
        const std::int64_t aligned = clocks.toAligned(core::WorkerId(1), raw);
        QVERIFY(std::abs(clocks.toRaw(core::WorkerId(1), aligned) - raw) <= 2);
        QCOMPARE(clocks.toRaw(core::WorkerId(7), raw), raw); // no alignment known
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLevelOfDetail)
#include "tst_level_of_detail.moc"
