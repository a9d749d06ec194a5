#include "core/import/longpole/longpole_messages.h"
#include "core/import/text/json_scan.h"

#include <QtTest>

using namespace core;

class RecordedMessagesTest : public QObject
{
    Q_OBJECT

private slots:
    void bothEndsNameTheTensor_data();
    void bothEndsNameTheTensor();
    void othersAreNone_data();
    void othersAreNone();
    void aSliceTellsItsTensorAndWhenItWasReady();
};

namespace {

ChromeEvent eventOf(std::string_view name, std::string_view args)
{
    ChromeEvent event;
    event.name = name;
    event.argsText = args;
    return event;
}

/// What is scanned is followed by padding in a file's window, too.
std::string padded(std::string text)
{
    return text.append(json::ScanPadding, '\0');
}

std::string_view unpadded(const std::string &text)
{
    return std::string_view(text).substr(0, text.size() - json::ScanPadding);
}

} // namespace

void RecordedMessagesTest::bothEndsNameTheTensor_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isSend");
    QTest::newRow("worker to server, sent") << "PUSH fc.weight" << true;
    QTest::newRow("worker to server, received") << "RECV fc.weight" << false;
    QTest::newRow("server to worker, sent") << "SEND fc.weight" << true;
    QTest::newRow("server to worker, received") << "PULL fc.weight" << false;
}

void RecordedMessagesTest::bothEndsNameTheTensor()
{
    QFETCH(QString, name);
    QFETCH(bool, isSend);
    const std::string text = name.toStdString();
    const std::string args = padded(R"({"tensor_id": 3, "peer": 2})");
    const auto message = recordedMessage(eventOf(text, unpadded(args)));
    QVERIFY(message);
    QCOMPARE(message->isSend, isSend);
    QCOMPARE(message->peer, 2);
    QCOMPARE(std::string(message->tensor), std::string("fc.weight"));
}

void RecordedMessagesTest::othersAreNone_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("args");
    QTest::newRow("another verb") << "UPDATE fc.weight"
                                  << R"({"peer": 1})";
    QTest::newRow("no peer") << "PUSH fc.weight"
                             << R"({"bytes": 1})";
    QTest::newRow("peer is no rank") << "PUSH fc.weight"
                                     << R"({"peer": -1})";
    QTest::newRow("peer is huge") << "PUSH fc.weight"
                                  << R"({"peer": 99999999999})";
    QTest::newRow("no arguments") << "PUSH fc.weight"
                                  << "";
}

void RecordedMessagesTest::othersAreNone()
{
    QFETCH(QString, name);
    QFETCH(QString, args);
    const std::string nameText = name.toStdString(), argsText = padded(args.toStdString());
    QVERIFY(!recordedMessage(eventOf(nameText, unpadded(argsText))));
}

void RecordedMessagesTest::aSliceTellsItsTensorAndWhenItWasReady()
{
    const std::string args = padded(R"({"tensor": "fc.0", "slice": 1, "ready_us": 17})");
    const auto slice = recordedReduction(eventOf("allreduce fc.0 slice=1 bytes=8", unpadded(args)));
    QCOMPARE(slice.tensor, std::string_view("fc.0"));
    QCOMPARE(slice.readyUs, std::string_view("17"));
    const std::string none = padded(R"({"tensor": 5})");
    const auto other = recordedReduction(eventOf("gloo:all_reduce", unpadded(none)));
    QVERIFY(other.tensor.empty() && other.readyUs.empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordedMessagesTest)
#include "tst_longpole_messages.moc"
