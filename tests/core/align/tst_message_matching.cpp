#include "core/align/align.h"
#include "core/align/message_matching.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;
using tests::traceFromText;

class MessageMatchingTest : public QObject
{
    Q_OBJECT

private slots:
    void repeatedMessagesAreMatchedByTime();
    void messagesWithoutPeerAreMatchedByTransaction();
    void anEndAloneIsNamed();
    void callsWithAPeerAreNotCalledUnmatched();
};

namespace {

/// A push of a tensor every 100 us from rank 1 to rank 0 and its answer, with a clock that is 7 us
/// ahead. Rank 0 has sent one before rank 1's recording begins.
Trace parameterServer()
{
    Trace trace = traceFromText(R"(
        rank 0
        comm server
        SEND:w 10 20
        RECV:w 100 30
        SEND:w 140 20
        RECV:w 200 30
        SEND:w 240 20
        rank 1
        comm push
        PUSH:w 107 20
        PUSH:w 207 25
        comm pull
        PULL:w 130 45
        PULL:w 230 45
    )");
    for (std::uint64_t slice = 0; slice < 9; ++slice) {
        TransferCall call;
        call.slice = SliceId(slice);
        call.worker = WorkerId(slice < 5 ? 0 : 1);
        call.isSend = slice < 5 ? slice % 2 == 0 : slice < 7;
        call.peer = slice < 5 ? 1 : 0;
        call.transaction = "w";
        trace.transfers.push_back(call);
    }
    return trace;
}

QString printed(const Trace &trace, const std::vector<MatchedMessage> &matched)
{
    QStringList pairs;
    for (const MatchedMessage &message : matched)
        pairs << QStringLiteral("%1>%2")
                     .arg(trace.transfers[message.sent].slice.value)
                     .arg(trace.transfers[message.received].slice.value);
    pairs.sort();
    return pairs.join(QLatin1Char(' '));
}

} // namespace

void MessageMatchingTest::repeatedMessagesAreMatchedByTime()
{
    const Trace trace = parameterServer();
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchMessages(trace, notes, {})), QStringLiteral("2>7 4>8 5>1 6>3"));
}

void MessageMatchingTest::messagesWithoutPeerAreMatchedByTransaction()
{
    Trace trace = parameterServer();
    trace.transfers.resize(6);
    trace.transfers.erase(trace.transfers.begin(), trace.transfers.begin() + 4); // 4 and 5 are left
    trace.transfers[1].isSend = false;
    for (TransferCall &call : trace.transfers)
        call.peer.reset();
    std::vector<std::string> notes;
    QCOMPARE(printed(trace, matchMessages(trace, notes, {})), QStringLiteral("4>5"));
    QVERIFY(notes.empty());
    trace.transfers[1].transaction = "another";
    QVERIFY(matchMessages(trace, notes, {}).empty());
}

void MessageMatchingTest::anEndAloneIsNamed()
{
    Trace trace = parameterServer();
    trace.transfers.resize(5);
    std::vector<std::string> notes;
    QVERIFY(matchMessages(trace, notes, {}).empty());
    QCOMPARE(notes.size(), std::size_t { 2 });
    QVERIFY2(notes[0].starts_with(
                 "2 receives have no other end in the trace and are left out; first: 'RECV"),
             notes[0].c_str());
}

/// NCCL's send and recv are calls on a group and, where they state their peer, messages: both ends
/// were matched, and said not to be.
void MessageMatchingTest::callsWithAPeerAreNotCalledUnmatched()
{
    Trace trace = traceFromText(R"(
        rank 0
        comm nccl
        ncclSend 0 10 kind=send bytes=8
        rank 1
        comm nccl
        ncclRecv 0 10 kind=recv bytes=8
    )");
    std::vector<std::string> notes;
    QVERIFY(matchCollectives(trace, notes, {}).empty());
    QCOMPARE(notes.size(), std::size_t { 2 });
    QCOMPARE(notes[1],
             std::string("1 send call: point-to-point messages are not matched across "
                         "ranks."));
    for (const CollectiveCall &call : trace.collectives)
        trace.transfers.push_back({ call.slice, call.worker, call.kind == "send",
                                    call.kind == "send" ? 1 : 0, std::nullopt, "0" });
    notes.clear();
    QVERIFY(matchCollectives(trace, notes, {}).empty());
    QVERIFY(notes.empty());
    QCOMPARE(matchMessages(trace, notes, {}).size(), std::size_t { 1 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MessageMatchingTest)
#include "tst_message_matching.moc"
