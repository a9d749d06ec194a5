#include "core/analyze/report/longest_operations.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

const OperationTime *find(const LongestOperations &all, const std::string &name)
{
    for (const OperationTime &one : all.operations)
        if (one.name == name)
            return &one;
    return nullptr;
}

/// Iterations of 100 us at 0 and at 100 us, times in us.
LongestOperations ofText(const std::string &rows)
{
    std::string text;
    for (const char *rank : { "0", "1" })
        text += std::string("rank ") + rank + "\niteration 0 0 100\niteration 1 100 100\n"
            + (rank[0] == '0' ? rows
                              : std::string("thread main\naten::mm 10 20\n"
                                            "aten::mm 110 40\n"));
    return longestOperations(tests::traceFromText(text), {});
}

} // namespace

class TestLongestOperations : public QObject
{
    Q_OBJECT

private slots:
    void ownTimeIsWithoutWhatAnOperationCalls()
    {
        const LongestOperations all = ofText("thread main\naten::linear 0 60\naten::mm 10 40\n"
                                             "aten::linear 100 60\naten::mm 110 40\n"
                                             "aten::relu 170 10\n");
        QCOMPARE(all.names, std::size_t { 3 });
        QCOMPARE(QString::fromStdString(all.operations.front().name), QStringLiteral("aten::mm"));
        const OperationTime *mm = find(all, "aten::mm");
        const OperationTime *linear = find(all, "aten::linear");
        const OperationTime *relu = find(all, "aten::relu");
        QVERIFY(mm && linear && relu);
        // 40 us on rank 0, 30 us on rank 1.
        QCOMPARE(mm->ns, 35'000);
        QCOMPARE(mm->share, 0.35);
        QCOMPARE(mm->count, 1.0);
        QCOMPARE(mm->meanNs, 35'000);
        QCOMPARE(mm->ranks, std::size_t { 2 });
        QCOMPARE(mm->leastRank, 1);
        QCOMPARE(mm->leastNs, 30'000);
        QCOMPARE(mm->mostRank, 0);
        QCOMPARE(mm->mostNs, 40'000);
        // Of the only rank that has it.
        QCOMPARE(linear->ns, 20'000);
        QCOMPARE(linear->ranks, std::size_t { 1 });
        QCOMPARE(relu->ns, 5'000);
        QCOMPARE(relu->count, 0.5);
        QCOMPARE(relu->meanNs, 10'000);
        // 40 and 40 us on rank 0, 20 and 40 us on rank 1; relu in one iteration only.
        QCOMPARE(mm->deviationNs, std::optional<std::int64_t>(10'000));
        QCOMPARE(linear->deviationNs, std::optional<std::int64_t>(0));
        QCOMPARE(relu->deviationNs, std::optional<std::int64_t>(7'071));
    }

    void whatIsOutsideOfIterationsDoesNotCount()
    {
        const LongestOperations all
            = ofText("thread main\naten::mm 10 40\naten::mm 110 40\naten::mm 250 1000\n");
        QCOMPARE(find(all, "aten::mm")->mostNs, 40'000);
    }

    /// On its streams a rank's operators of the host are not the device's work.
    void ofAnAcceleratorKernelsCount()
    {
        const LongestOperations all
            = ofText("thread main\naten::mm 0 90\nstream 7 gpu=0\ngemm 10 20\ngemm 110 20\n");
        QVERIFY(find(all, "gemm"));
        QCOMPARE(find(all, "gemm")->ns, 20'000);
        QCOMPARE(find(all, "aten::mm")->ranks, std::size_t { 1 }); // of the rank without one
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLongestOperations)
#include "tst_longest_operations.moc"
