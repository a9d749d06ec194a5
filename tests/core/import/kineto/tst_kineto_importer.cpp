#include "tests/core/import/kineto/kineto_text.h"
#include "tests/support/generate/generate_kineto.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <sstream>

using tests::imported;
using tests::importer;
using tests::MemoryEntry;
using tests::names;
using tests::opEvent;
using tests::RecordingSink;
using tests::trace;

namespace {

/// The start and the transfer of every slice that has one, a line each.
std::string transfers(const RecordingSink &sink)
{
    std::istringstream lines(sink.text());
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t open = std::min(line.find(" send("), line.find(" recv("));
        if (open != std::string::npos)
            all += line.substr(2, line.find('+') - 2)
                + line.substr(open, line.find(')', open) + 1 - open) + "\n";
    }
    return all;
}

/// The start of the only slice, as printed.
std::string startOf(const RecordingSink &sink)
{
    const std::string text = sink.text();
    const std::size_t line = text.find("\n  ");
    return text.substr(line + 3, text.find('+', line) - line - 3);
}

QByteArray fileContents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class KinetoImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKindOfRecordBecomesWhatItMeans()
    {
        const QString folder = QStringLiteral(LONGPOLE_SOURCE_DIR "/tests/data/kineto/");
        const QByteArray json = fileContents(folder + QStringLiteral("all_kinds.json"));
        QVERIFY(importer().recognizes("all_kinds.json", json.toStdString()));
        RecordingSink sink = imported(json.toStdString());
        const QByteArray actual = QByteArray::fromStdString(sink.text() + sink.diagnosticsText());
        const QByteArray expected = fileContents(folder + QStringLiteral("all_kinds.txt"));
        if (actual != expected) {
            QFile out(QStringLiteral(LONGPOLE_BINARY_DIR "/all_kinds.txt.actual"));
            QVERIFY(out.open(QIODevice::WriteOnly));
            out.write(actual);
            QFAIL(("differs from all_kinds.txt; compare with all_kinds.txt.actual in the build "
                   "folder:\n"
                   + actual)
                      .constData());
        }
    }

    void filesWithoutEventsAreRefusedWithAReason_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("empty") << QByteArray("") << QByteArray("the file is empty");
        QTest::newRow("spaces") << QByteArray(" \n ") << QByteArray("the file is empty");
        QTest::newRow("text") << QByteArray("hello") << QByteArray("the file is no JSON");
        QTest::newRow("no list") << QByteArray("{\"schemaVersion\": 1}")
                                 << QByteArray("no list of events");
        QTest::newRow("cut before the list")
            << QByteArray("{\"schemaVersion\": 1, \"traceEv") << QByteArray("no list of events");
        QTest::newRow("cut after the key") << QByteArray("{\"schemaVersion\": 1, \"traceEvents\"")
                                           << QByteArray("no list of events");
        QTest::newRow("list is null")
            << QByteArray("{\"traceEvents\": null}") << QByteArray("no list of events");
    }
    void filesWithoutEventsAreRefusedWithAReason()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, reason);
        try {
            imported(json.toStdString());
            QFAIL("no error");
        } catch (const core::Error &error) {
            const std::string text = error.what();
            QVERIFY2(text.starts_with("trace.json (byte ")
                         && text.find(reason.toStdString()) != std::string::npos,
                     error.what());
        }
    }

    void timesAreExactAndSinceTheEpoch_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("startNs");
        const auto row = [](const char *title, const std::string &json, const char *startNs) {
            QTest::newRow(title) << QByteArray::fromStdString(json) << QByteArray(startNs);
        };
        const std::string base = "\"baseTimeNanoseconds\": 1751410836000000000";
        const std::string relative = "\"traceEvents\": [" + opEvent("a", "1428625731896.179") + "]";
        row("base before the events", "{" + base + "," + relative + "}", "1752839461731896179");
        row("base after the events", "{" + relative + "," + base + "}", "1752839461731896179");
        row("quoted base", "{\"baseTimeNanoseconds\": \"1000\"," + relative + "}",
            "1428625731897179");
        row("no base", "{" + relative + "}", "1428625731896179");
        row("19 digits since the epoch", trace(opEvent("a", "1698107929236857.123")),
            "1698107929236857123");
        row("quoted time", trace(opEvent("a", "\"1698107929236857.123\"")), "1698107929236857123");
        row("exponent", trace(opEvent("a", "1.5e3")), "1500000");
        row("since the epoch with a late base: not added",
            "{\"traceEvents\": [" + opEvent("a", "1698107929236857") + "]," + base + "}",
            "1698107929236857000");
    }
    void timesAreExactAndSinceTheEpoch()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, startNs);
        QCOMPARE(startOf(imported(json.toStdString())), startNs.toStdString());
    }

    void bothEndsOfATransferHaveOneName()
    {
        const auto kernel = [](const char *us, const std::string &args) {
            return R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0, )"
                   R"("tid": 9, "dur": 2, "ts": )"
                + std::string(us) + R"(, "args": {"Process Group Name": "pp", )" + args + "}}";
        };
        const auto sending = [&](const char *us, const char *peer) {
            return kernel(us, R"("Collective name": "send", "Dst Rank": )" + std::string(peer));
        };
        const auto receiving = [&](const char *us, const char *peer) {
            return kernel(us, R"("Collective name": "recv", "Src Rank": )" + std::string(peer));
        };
        const auto transfersOf = [](const std::string &rank, const std::string &events) {
            return transfers(imported("{\"traceEvents\": [" + events + "], \"distributedInfo\": {"
                                      + rank + "}}"));
        };
        // Not in the order of time, and the rank comes last.
        QCOMPARE(transfersOf(R"("rank": 2)",
                             sending("30", "\"3\"") + "," + sending("10", "3") + ","
                                 + receiving("20", "1")),
                 std::string("10000 send(\"group pp/2>3/number 0\" peer=3)\n"
                             "20000 recv(\"group pp/1>2/number 0\" peer=1)\n"
                             "30000 send(\"group pp/2>3/number 1\" peer=3)\n"));
        QCOMPARE(transfersOf(R"("rank": 3)", receiving("11", "2") + "," + receiving("31", "2")),
                 std::string("11000 recv(\"group pp/2>3/number 0\" peer=2)\n"
                             "31000 recv(\"group pp/2>3/number 1\" peer=2)\n"));
        QCOMPARE(transfersOf("", receiving("11", "2")), std::string("11000 recv(\"\" peer=2)\n"));
        // Batched ones, and what is no rank.
        QCOMPARE(transfersOf(R"("rank": 3)",
                             kernel("1", R"("Collective name": "coalesced", "Src Rank": 1)") + ","
                                 + receiving("2", "-1") + "," + receiving("3", "99999999999")),
                 std::string());
    }

    /// Some versions of PyTorch count the peer within its group: a number that is none of the
    /// group's ranks, or is the own one, tells.
    void peersWithinAGroupAreRanksOfTheJob()
    {
        const auto kernel = [](const char *us, const std::string &args) {
            return R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0, )"
                   R"("tid": 9, "dur": 2, "ts": )"
                + std::string(us) + R"(, "args": {"Process Group Name": "7", )" + args + "}}";
        };
        const std::string sends = R"("Collective name": "send", "Dst Rank": 1)";
        const std::string receives = R"("Collective name": "recv", "Src Rank": 0)";
        const auto transfersOf
            = [&](int rank, const std::string &events, const std::string &groups) {
                  return transfers(imported("{\"traceEvents\": [" + events
                                            + "], \"distributedInfo\": {\"rank\": "
                                            + std::to_string(rank) + groups + "}}"));
              };
        const std::string listed
            = R"(, "pg_config": [{"pg_name": "7", "ranks": [0, 2]}, {"pg_name": "7", "ranks": [1, 3]}])";
        QCOMPARE(transfersOf(0, kernel("1", sends), listed),
                 std::string("1000 send(\"group 7/0>2/number 0\" peer=2)\n"));
        QCOMPARE(transfersOf(3, kernel("1", receives), listed),
                 std::string("1000 recv(\"group 7/1>3/number 0\" peer=1)\n"));
        // The rank's own number, in a group that the event lists.
        const std::string own = sends + R"(, "Process Group Ranks": "[1, 3]")";
        QCOMPARE(transfersOf(1, kernel("1", own), ""),
                 std::string("1000 send(\"group 7/1>3/number 0\" peer=3)\n"));
        QCOMPARE(transfersOf(1, kernel("1", sends), ""), std::string()); // not known
        // One that can be either is what another one of the file says.
        QCOMPARE(transfersOf(2, kernel("1", receives) + "," + kernel("4", sends),
                             R"(, "pg_config": [{"pg_name": "7", "ranks": [2, 0]}])"),
                 std::string("4000 send(\"group 7/2>0/number 0\" peer=0)\n"));
    }

    void idsOfAnySizeAndFormAreRead()
    {
        const auto kernel = [](const std::string &args) {
            return R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, )"
                   R"("tid": 9, "ts": 1, "dur": 2, "args": {"Collective name": "allreduce", )"
                + args + "}}";
        };
        const std::string large
            = kernel(R"("correlation": 18446744073709551615, "External id": "12", "Seq": )"
                     R"(18446744073709551615, "Comms Id": 16137654198765432109, "Group size": 8, )"
                     R"("Process Group Ranks": "[0, 1, 2, ...]", "Process Group Name": 3)");
        const std::string text
            = kernel(R"("correlation": "x", "External id": -1, "Seq": "7", "Comms Id": "0xdfe2", )"
                     "\"Group size\": \"8\", \"Process Group Name\": \"3\"");
        const RecordingSink sink = imported(trace(large + "," + text));
        QVERIFY(sink.text().find("correlation=18446744073709551615 external=12 "
                                 "collective(all_reduce group=\"3\" size=8)")
                != std::string::npos);
        QVERIFY(sink.text().find("\"ncclDevKernel_AllReduce\" collective(all_reduce group=\"3\" "
                                 "seq=7 size=8)")
                != std::string::npos);
        QCOMPARE(
            sink.diagnosticsText(),
            "large-number warning 1 at=37\nno-sync-events info 1\nquoted-number info 2 at=37\n");
    }

    void rowsAreToldApartByProcessThreadAndKind()
    {
        const std::string text
            = imported(
                  trace(R"({"ph":"X","cat":"Operator","name":"o","pid":0,"tid":"7","ts":1,"dur":1},
                {"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":1,"dur":1},
                {"ph":"X","cat":"Memcpy","name":"c","pid":0,"tid":"stream 7","ts":2,"dur":1},
                {"ph":"X","cat":"Memset","name":"s","pid":0,"tid":7,"ts":3,"dur":1},
                {"ph":"X","cat":"Runtime","name":"r","pid":"0","tid":7,"ts":3,"dur":1,"args":{"external id":4}},
                {"ph":"X","name":"n","pid":1,"ts":3,"dur":1}])"))
                  .text();
        QCOMPARE(text.substr(text.find("host_thread")),
                 std::string("host_thread pid=0 tid=7 \"thread 7\"\n"
                             "  1000+1000 cpu_op \"o\"\n"
                             "  3000+1000 runtime \"r\" external=4 args={\"external id\":4}\n"
                             "stream pid=0 tid=stream 7 device=0 \"stream 7\"\n"
                             "  1000+1000 kernel \"k\"\n"
                             "  2000+1000 memcpy \"c\"\n"
                             "stream pid=0 tid=7 device=0 \"stream 7\"\n"
                             "  3000+1000 memset \"s\"\n"
                             "other pid=1 tid= \"\"\n"
                             "  3000+1000 other \"n\"\n"));
    }

    void noThreadHasANegativeNumber()
    {
        const std::string text
            = imported(
                  trace(
                      R"({"ph":"X","cat":"cuda_runtime","name":"r","pid":5,"tid":-549452224,"ts":1,"dur":1})"))
                  .text();
        QVERIFY2(text.find("tid=-549452224 \"thread 3745515072\"") != std::string::npos,
                 text.c_str());
    }

    void anEventLargerThanTheWindowIsRead()
    {
        const std::string large(3 * 1024 * 1024, 'x');
        const std::string text = trace(opEvent("a") + "," + opEvent(large) + "," + opEvent("b"));
        QCOMPARE(names(imported(text)), "a " + large + " b");
    }

    void anEventLargerThanTheLimitIsLeftOut()
    {
        const std::string text = trace(
            opEvent("a") + "," + opEvent(std::string(70U * 1024 * 1024, 'x')) + "," + opEvent("b"));
        const RecordingSink sink = imported(text);
        QCOMPARE(names(sink), std::string("a b"));
        QVERIFY(sink.diagnosticsText().starts_with("damaged-event error 1"));
    }

    void allEventsOfAGeneratedTraceAreCounted()
    {
        std::ostringstream out;
        const std::uint64_t slices
            = tests::generateKineto(out, { .events = 5000, .rank = 1, .worldSize = 4 });
        const RecordingSink sink = imported(out.str());
        std::uint64_t total = 0;
        for (const auto &[category, count] : sink.counts())
            total += count;
        QCOMPARE(total, 5000U);
        QCOMPARE(sink.sliceCount(), slices);
        QCOMPARE(sink.worker().rank.value_or(-1), 1);
        QCOMPARE(sink.diagnosticsText(), std::string("no-sync-events info 1\n"));
    }

    void manyRowsAndCategoriesTakeNoQuadraticTime()
    {
        std::string events;
        for (int i = 0; i < 200'000; ++i) {
            const std::string number = std::to_string(i);
            events += (i == 0 ? "" : ",");
            events += "{\"ph\": \"X\", \"ts\": 1, \"dur\": 1, \"pid\": 1, \"tid\": " + number
                + ", \"cat\": \"c" + number + "\"}";
        }
        QElapsedTimer timer;
        timer.start();
        const RecordingSink sink = imported(trace(events));
        QCOMPARE(sink.sliceCount(), 200'000U);
        QVERIFY(timer.elapsed() < 20'000); // seconds at most; minutes where it is quadratic
    }

    void aCancelledImportStops()
    {
        MemoryEntry entry(trace(opEvent("a")));
        RecordingSink sink;
        const core::JobControl control([] { return true; }, {});
        QVERIFY_THROWS_EXCEPTION(core::Cancelled, importer().read(entry, sink, control));
    }

    void onlyKinetoIsRecognized_data()
    {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<bool>("isKineto");
        const auto row = [](const char *head, bool isKineto) {
            QTest::newRow(head) << QByteArray(head) << isKineto;
        };
        row("{\"schemaVersion\": 1, \"deviceProperties\": [", true);
        row("\n{\"schemaVersion\": 1, \"traceEvents\": [", true);
        row("{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\"", true);
        row("[{\"ph\": \"X\", \"cat\" : \"kernel\"", true);
        row("{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"Op\"", false);
        row("[{\"ph\": \"X\", \"cat\": \"Comm\"", false);
        row("{\"schema\": \"1.0.1\", \"pid\": 3, \"nodes\": [", false);
        row("{\"schemaVersion\": 1}", false);
        row("hello", false);
        row("", false);
    }
    void onlyKinetoIsRecognized()
    {
        QFETCH(QByteArray, head);
        QFETCH(bool, isKineto);
        QCOMPARE(importer().recognizes("x", head.toStdString()), isKineto);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoImporterTest)
#include "tst_kineto_importer.moc"
