#include "ui/views/import/reveal_target.h"

#include <QTest>

using namespace ui;

namespace {

core::Track trackOf(std::uint32_t worker, std::uint32_t file, std::uint64_t firstSlice,
                    std::uint64_t sliceCount, core::TimeRange range)
{
    core::Track track;
    track.worker = core::WorkerId(worker);
    track.file = core::FileId(file);
    track.firstSlice = core::SliceId(firstSlice);
    track.sliceCount = sliceCount;
    track.range = range;
    return track;
}

/// Ranks 4 and 5; rank 5 from two files, its clock 1000 ns behind.
core::ProjectInfo twoRanks()
{
    core::ProjectInfo info;
    info.workers.resize(2);
    info.workers[0].rank = 4;
    info.workers[0].files = { "a.json" };
    info.workers[1].rank = 5;
    info.workers[1].files = { "b.json", "c.json" };
    for (const char *name : { "a.json", "b.json", "c.json", "d.json" }) {
        core::SourceFile file;
        file.name = name;
        file.id = core::FileId(static_cast<std::uint32_t>(info.files.size() + 1));
        info.files.push_back(file);
    }
    info.files[3].status = core::FileStatus::Failed;
    info.tracks = { trackOf(0, 1, 0, 5, { 10, 50 }), trackOf(1, 2, 5, 0, {}),
                    trackOf(1, 2, 5, 3, { 100, 200 }), trackOf(1, 2, 8, 3, { 90, 150 }),
                    trackOf(1, 3, 11, 9, { 0, 900 }) };
    info.alignment.workers.resize(2);
    info.alignment.workers[1].offsetNs = 1000;
    return info;
}

} // namespace

class TestRevealTarget : public QObject
{
    Q_OBJECT

private slots:
    void leadsToTheRowsOfTheFileOnTheAlignedClock();
    void whatWasNotReadIsNotInTheTimeline();
};

void TestRevealTarget::leadsToTheRowsOfTheFileOnTheAlignedClock()
{
    const auto target = revealTarget(twoRanks(), "b.json");
    QVERIFY(target.has_value());
    QCOMPARE(target->slice, core::SliceId { 5 });
    QCOMPARE(target->rank, 5);
    QVERIFY((target->range == core::TimeRange { 1090, 1200 }));
}

void TestRevealTarget::whatWasNotReadIsNotInTheTimeline()
{
    QVERIFY(!revealTarget(twoRanks(), "d.json"));
    QVERIFY(!revealTarget(twoRanks(), "absent.json"));
    QVERIFY(!revealTarget({}, ""));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRevealTarget)
#include "tst_reveal_target.moc"
