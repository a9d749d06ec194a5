#include "core/base/printable_text.h"

#include <QTest>

#include <ostream>
#include <sstream>

using core::oneLine;
using core::PrintableBuffer;

class TestPrintableText : public QObject
{
    Q_OBJECT

private slots:
    void controlCharactersAreWrittenAsInC_data();
    void controlCharactersAreWrittenAsInC();
    void aLineHasNoLineEnd();
    void aFullDiskIsSeen();
};

namespace {

/// Written in one piece, or byte by byte.
std::string printed(const std::string &text, bool isInPieces)
{
    std::stringbuf target;
    PrintableBuffer buffer(target);
    std::ostream out(&buffer);
    if (isInPieces)
        for (const char c : text)
            out << c;
    else
        out << text;
    out.flush();
    return out.good() ? target.str() : "failed";
}

} // namespace

void TestPrintableText::controlCharactersAreWrittenAsInC_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("plain") << QByteArray("a\tb\nc") << QByteArray("a\tb\nc");
    QTest::newRow("escape") << QByteArray("\x1b[31mred") << QByteArray("\\x1b[31mred");
    QTest::newRow("a line drawn over") << QByteArray("a\rb") << QByteArray("a\\rb");
    QTest::newRow("bell, delete") << QByteArray("\x07\x7f") << QByteArray("\\x07\\u007f");
    QTest::newRow("control of Unicode")
        << QByteArray("a\xc2\x9b") + "1m" << QByteArray("a\\u009b1m");
    QTest::newRow("control of Latin-1") << QByteArray("a\x9b") + "1m" << QByteArray("a\\x9b1m");
    QTest::newRow("letters of Unicode")
        << QByteArray("\xc2\xb5s \xc3\x9b \xe2\x80\x93 \xf0\x9f\x9a\x80")
        << QByteArray("\xc2\xb5s \xc3\x9b \xe2\x80\x93 \xf0\x9f\x9a\x80");
    QTest::newRow("half a character, and a control")
        << QByteArray("\xe2\x80\x1b \xc2\x1b \xc2") << QByteArray("\xe2\x80\\x1b \xc2\\x1b \xc2");
}

void TestPrintableText::controlCharactersAreWrittenAsInC()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(printed(text.toStdString(), false)), shown);
    QCOMPARE(QByteArray::fromStdString(printed(text.toStdString(), true)), shown);
}

void TestPrintableText::aLineHasNoLineEnd()
{
    QCOMPARE(oneLine("a\nb\tc\x1b\xc2\x9b"), std::string("a\\nb\\tc\\x1b\\u009b"));
    QCOMPARE(oneLine(""), std::string());
}

void TestPrintableText::aFullDiskIsSeen()
{
    class Full : public std::streambuf
    {
    };
    Full full;
    PrintableBuffer buffer(full);
    std::ostream out(&buffer);
    out << "text";
    QVERIFY(!out.good());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPrintableText)
#include "tst_printable_text.moc"
