#include "collectors/nccl/operation_events.h"
#include "collectors/nccl/quiet_clock.h"

#include <QTest>

using namespace collectors;

namespace {

constexpr std::int64_t SecondNs = 1'000'000'000;
constexpr std::int64_t TickNs = 10'000'000; ///< more than one of the quiet clock

/// Counts records.
class CountingOutput : public RecordOutput
{
public:
    void put(RecordKind kind, std::uint32_t, std::span<const std::byte>) noexcept override
    {
        collectives += kind == RecordCollective ? 1 : 0;
    }
    int collectives = 0;
};

/// Operations of one communicator, without threads and without a file.
struct Operations
{
    Operations()
        : context(*contexts.add({ 1, 0, 0, 4, 1, 0, false, false }))
    {
    }
    /// Enqueued, with that many kernel channels to come.
    std::uint64_t start(std::uint32_t kernels)
    {
        const std::uint64_t number = startAt(kernels, 1);
        operations.stop(output, number, 1);
        return number;
    }
    std::uint64_t startAt(std::uint32_t kernels, std::int64_t timeNs)
    {
        ProfilerEvent event;
        event.type = abi::Coll;
        event.function = "AllReduce";
        event.kernelChannelCount = kernels;
        return *operations.start(output, 7, context, event, timeNs);
    }
    /// Records after a sweep at that time of the quiet clock.
    int writtenAt(std::int64_t timeNs)
    {
        operations.sweep(output, timeNs, false);
        return output.collectives;
    }

    Recording recording { [](RecordOutput &, bool) {} };
    Contexts contexts { recording };
    OperationEvents operations { recording, contexts, true };
    CountingOutput output;
    std::uint64_t context;
};

} // namespace

/// When an operation is written.
class OperationEventsTest : public QObject
{
    Q_OBJECT

private slots:
    void itIsWrittenWhenAllItsKernelsHaveEnded()
    {
        Operations one;
        const std::uint64_t number = one.start(2);
        for (int i = 0; i < 2; ++i)
            QVERIFY(one.operations.beginChild(number));
        one.operations.endChild(one.output, number, { true, 2, 0, 3 });
        QCOMPARE(one.output.collectives, 0);
        one.operations.endChild(one.output, number, { true, 2, 0, 4 });
        QCOMPARE(one.output.collectives, 1);
    }

    void oneThatIsSilentIsWrittenAfterTwoSeconds()
    {
        Operations one;
        const std::int64_t before = quietClockNs();
        one.start(0);
        QCOMPARE(one.writtenAt(before + 2 * SecondNs), 0);
        QCOMPARE(one.writtenAt(quietClockNs() + 2 * SecondNs + TickNs), 1);
    }

    /// Of symmetric memory and copy engines no kernel is told of: such operations were kept until
    /// the communicator's end, and a killed process lost them all.
    void oneWhoseKernelsNeverComeIsWrittenAfterAMinute()
    {
        Operations one;
        const std::int64_t before = quietClockNs();
        one.start(2);
        QCOMPARE(one.writtenAt(before + 60 * SecondNs), 0);
        QCOMPARE(one.writtenAt(quietClockNs() + 60 * SecondNs + TickNs), 1);
    }

    /// The times of records jump with the system's clock. An hour forward, and every operation
    /// under way was written without its end; an hour back, and none was until the hour was over.
    void aClockThatIsSetChangesNothing()
    {
        for (const std::int64_t jumpNs : { 3600 * SecondNs, -3600 * SecondNs }) {
            Operations one;
            const std::int64_t before = quietClockNs();
            const std::uint64_t number = one.startAt(0, 10'000 * SecondNs);
            one.operations.stop(one.output, number, 10'000 * SecondNs + jumpNs);
            QCOMPARE(one.writtenAt(before + 2 * SecondNs), 0);
            QCOMPARE(one.writtenAt(quietClockNs() + 2 * SecondNs + TickNs), 1);
        }
    }

    void oneWhoseKernelRunsIsNot()
    {
        Operations one;
        const std::uint64_t number = one.start(2);
        QVERIFY(one.operations.beginChild(number));
        QCOMPARE(one.writtenAt(quietClockNs() + 3600 * SecondNs), 0);
    }

    /// It counts as ended, without having been there.
    void aChildWithoutRoomDoesNotKeepIt()
    {
        Operations one;
        const std::uint64_t number = one.start(0);
        QVERIFY(one.operations.beginChild(number));
        QCOMPARE(one.writtenAt(quietClockNs() + 3600 * SecondNs), 0);
        one.operations.endChild(one.output, number, {});
        QCOMPARE(one.writtenAt(quietClockNs() + 3600 * SecondNs), 1);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(OperationEventsTest)
#include "tst_operation_events.moc"
