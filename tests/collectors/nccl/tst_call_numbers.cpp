#include "collectors/nccl/call_numbers.h"

#include <QTest>

using namespace collectors;

class CallNumbersTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKeyCountsFromZero()
    {
        CallNumbers numbers;
        for (std::uint64_t round = 0; round < 3; ++round)
            for (const std::uint64_t context : { 1, 2 })
                for (const std::uint32_t rank : { 0, 1 })
                    for (const std::uint32_t peer : { 0, 1 })
                        for (const std::uint32_t kind : { 0, 1 })
                            QCOMPARE(numbers.next({ context, rank, peer, kind }),
                                     std::optional(round));
    }

    /// Keys of communicators that had ended were kept: after 65,536 of them no send was recorded.
    void keysOfThoseThatHaveEndedMakeRoom()
    {
        constexpr std::uint64_t Rounds = 40, Contexts = 200, Living = 1;
        constexpr std::uint32_t Peers = 50;
        static_assert(Rounds * Contexts * Peers > 5 * CallNumbers::MostKeys);
        CallNumbers numbers;
        std::uint64_t context = Living;
        for (std::uint64_t round = 0; round < Rounds; ++round) {
            for (std::uint64_t i = 0; i < Contexts; ++i) {
                ++context;
                for (std::uint32_t peer = 0; peer < Peers; ++peer)
                    QCOMPARE(numbers.next({ context, 0, peer, 0 }),
                             std::optional<std::uint64_t>(0));
                QCOMPARE(numbers.next({ Living, 0, 7, 0 }), std::optional(round * Contexts + i));
            }
            numbers.forget([](std::uint64_t one) { return one != Living; });
        }
    }

    /// What is searched may lie behind a key that was forgotten.
    void forgettingOneLeavesTheOthersTheirCounts()
    {
        constexpr std::uint32_t Peers = 20'000;
        CallNumbers numbers;
        for (std::uint32_t peer = 0; peer < Peers; ++peer)
            for (const std::uint64_t context : { 1, 2 })
                numbers.next({ context, 0, peer, 0 });
        numbers.forget([](std::uint64_t context) { return context == 1; });
        for (std::uint32_t peer = 0; peer < Peers; ++peer) {
            QCOMPARE(numbers.next({ 1, 0, peer, 0 }), std::optional<std::uint64_t>(0));
            QCOMPARE(numbers.next({ 2, 0, peer, 0 }), std::optional<std::uint64_t>(1));
        }
    }

    void tooManyAreToldNotConfused()
    {
        CallNumbers numbers;
        std::size_t counted = 0;
        for (std::uint32_t peer = 0; peer < 2 * CallNumbers::MostKeys; ++peer)
            counted += numbers.next({ 1, 0, peer, 0 }) ? 1 : 0;
        QVERIFY(counted > CallNumbers::MostKeys / 2);
        QVERIFY(counted <= CallNumbers::MostKeys);
        QCOMPARE(numbers.next({ 1, 0, 0, 0 }), std::optional<std::uint64_t>(1));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CallNumbersTest)
#include "tst_call_numbers.moc"
