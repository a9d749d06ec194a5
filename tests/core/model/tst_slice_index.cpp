#include "core/model/slice_index.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;

class SliceIndexTest : public QObject
{
    Q_OBJECT

private slots:
    void everySliceIsFoundByItsId();
    void idsThatNoTrackHasAreNotFound();
};

void SliceIndexTest::everySliceIsFoundByItsId()
{
    const Trace trace = tests::traceFromText(R"(
        rank 0
        thread empty
        thread main
        a 10 5
        b 20 7
        rank 1
        stream 7 gpu=0
        k 30 9
    )");
    const SliceIndex slices(trace);
    QCOMPARE(slices.name(SliceId(1)), std::string("b"));
    QCOMPARE(slices.endNs(SliceId(1)), 27'000);
    QCOMPARE(slices.startNs(SliceId(2)), 30'000);
    QVERIFY(slices.category(SliceId(2)) == Category::Kernel);
    QVERIFY(slices.worker(SliceId(2)) == WorkerId(1));
    QVERIFY(slices.find(SliceId(2))->track == TrackId(2));
}

void SliceIndexTest::idsThatNoTrackHasAreNotFound()
{
    Trace trace = tests::traceFromText("rank 0\nthread main\na 10 5\n");
    trace.slices[0].first = SliceId(100);
    const SliceIndex slices(trace);
    QVERIFY(!slices.find(SliceId(99)));
    QVERIFY(slices.find(SliceId(100)));
    QVERIFY(!slices.find(SliceId(101)));
    QVERIFY(!SliceIndex(Trace()).find(SliceId(0)));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SliceIndexTest)
#include "tst_slice_index.moc"
