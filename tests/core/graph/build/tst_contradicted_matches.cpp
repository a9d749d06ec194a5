#include "core/graph/build/contradicted_matches.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Two ranks with an all-reduce every 100 us, each 50 long; rank 1 enters that many later.
Trace traceWith(const QList<int> &lateUs, const QString &words = {})
{
    std::string text;
    for (const int rank : { 0, 1 }) {
        text += "rank " + std::to_string(rank) + "\nstream 7 gpu=0\n";
        for (int i = 0; i < lateUs.size(); ++i)
            text += "nccl " + std::to_string(1000 * i + (rank == 1 ? lateUs[i] : 0))
                + " 50 comm_kernel kind=all_reduce bytes=8 "
                + (words.isEmpty() ? std::string() : words.arg(i).toStdString()) + "\n";
    }
    return tests::traceFromText(text);
}

/// The n-th call of one rank with that of the other.
std::vector<MatchedCollective> inOrder(const Trace &trace)
{
    std::vector<MatchedCollective> matched;
    const std::size_t count = trace.collectives.size() / 2;
    for (std::size_t i = 0; i < count; ++i)
        matched.push_back({ { i, count + i }, i });
    return matched;
}

} // namespace

class ContradictedMatchesTest : public QObject
{
    Q_OBJECT

private slots:
    void whatFitsIsKept();
    void oneThatCannotBeOneIsTakenOut();
    void halfOfThemTakeAllOut();
    void whatIsNumberedIsKept();
    void whatIsUnknownOfTheClocksIsAllowed();
    void clocksThatAreUnknownHaveToFitMost();
    void groupsOfOneNameAreJudgedEachForItself();

private:
    std::size_t keptOf(const Trace &trace)
    {
        m_notes.clear();
        std::vector<MatchedCollective> matched = inOrder(trace);
        removeContradicted(trace, SliceIndex(trace), matched, m_notes);
        return matched.size();
    }

    std::vector<std::string> m_notes;
};

void ContradictedMatchesTest::whatFitsIsKept()
{
    QCOMPARE(keptOf(traceWith({ 0, 20, 55 })), std::size_t { 3 }); // 5 us is a clock's error
    QVERIFY(m_notes.empty());
}

void ContradictedMatchesTest::oneThatCannotBeOneIsTakenOut()
{
    QCOMPARE(keptOf(traceWith({ 0, 0, 90 })), std::size_t { 2 });
    QCOMPARE(m_notes.size(), std::size_t { 1 });
    QVERIFY(m_notes[0].starts_with("1 of 3 all_reduce calls"));
}

void ContradictedMatchesTest::halfOfThemTakeAllOut()
{
    QCOMPARE(keptOf(traceWith({ 90, 0, 90, 0 })), std::size_t { 0 });
    QVERIFY(m_notes.at(0).find("All are replayed as recorded") != std::string::npos);
}

void ContradictedMatchesTest::whatIsNumberedIsKept()
{
    QCOMPARE(keptOf(traceWith({ 90, 90 }, QStringLiteral("seq=%1"))), std::size_t { 2 });
}

void ContradictedMatchesTest::whatIsUnknownOfTheClocksIsAllowed()
{
    Trace trace = traceWith({ 90, 90 });
    for (const std::uint32_t w : { 0U, 1U }) {
        Alignment alignment;
        alignment.worker = WorkerId(w);
        alignment.isReference = w == 0;
        alignment.uncertaintyNs = w * 40'000;
        trace.alignment.workers.push_back(alignment);
    }
    QCOMPARE(keptOf(trace), std::size_t { 2 });
    // Of a clock that was set by hand: as far as the ends of collectives are apart.
    trace.alignment.workers[1].uncertaintyNs = 0;
    QCOMPARE(keptOf(trace), std::size_t { 0 });
    trace.alignment.workers[1].residualNs = 90'000;
    QCOMPARE(keptOf(trace), std::size_t { 2 });
}

/// What the contradictions left unknown of the clocks (134 ms) let each of them pass for itself,
/// though none let all pass: the replay waited where nobody had.
void ContradictedMatchesTest::clocksThatAreUnknownHaveToFitMost()
{
    Trace trace = traceWith({ 0, 160, 0, -160, 0 });
    for (const std::uint32_t w : { 0U, 1U }) {
        Alignment alignment;
        alignment.worker = WorkerId(w);
        alignment.isReference = w == 0;
        alignment.uncertaintyNs = w * 200'000;
        trace.alignment.workers.push_back(alignment);
    }
    QCOMPARE(keptOf(trace), std::size_t { 3 });
    QVERIFY(m_notes.at(0).starts_with("2 of 5 all_reduce calls"));
    // One clock that is 90 us off lets all be one.
    Trace shifted = traceWith({ 90, 90, 95 });
    shifted.alignment = trace.alignment;
    QCOMPARE(keptOf(shifted), std::size_t { 3 });
}

/// Ranks 2 and 3, whose order says nothing, took all all-reduces of ranks 0 and 1 with them, whose
/// group has the same name.
void ContradictedMatchesTest::groupsOfOneNameAreJudgedEachForItself()
{
    std::string text;
    for (const int rank : { 0, 1, 2, 3 }) {
        text += "rank " + std::to_string(rank) + "\nstream 7 gpu=0\n";
        for (int i = 0; i < 2; ++i)
            text += "nccl " + std::to_string(1000 * i + (rank == 3 ? 90 : 0))
                + " 50 comm_kernel kind=all_reduce bytes=8 group=tp\n";
    }
    const Trace trace = tests::traceFromText(text);
    std::vector<MatchedCollective> matched
        = { { { 0, 2 }, 0, 0 }, { { 1, 3 }, 1, 0 }, { { 4, 6 }, 0, 1 }, { { 5, 7 }, 1, 1 } };
    m_notes.clear();
    removeContradicted(trace, SliceIndex(trace), matched, m_notes);
    QCOMPARE(matched.size(), std::size_t { 2 });
    QCOMPARE(matched.front().group, 0U);
    QCOMPARE(m_notes.size(), std::size_t { 1 });
    QVERIFY(m_notes[0].starts_with("2 of 2 all_reduce calls of group 'tp' of ranks 2-3 that"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ContradictedMatchesTest)
#include "tst_contradicted_matches.moc"
