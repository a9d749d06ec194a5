#include "core/base/printable_text.h"

#include <QTest>

class CsvFieldTest : public QObject
{
    Q_OBJECT

private slots:
    void textsAreSpelledOut_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isNumber");
        QTest::addColumn<QByteArray>("field");
        const auto row = [](const char *text, bool isNumber, const char *field) {
            QTest::newRow(text) << QByteArray(text) << isNumber << QByteArray(field);
        };
        row("", false, "");
        row("gemm", false, "gemm");
        row("a,b", false, "\"a,b\"");
        row("a \"b\"", false, "\"a \"\"b\"\"\"");
        row("a\nb", false, "\"a\nb\"");
        row("-1", true, "-1");
        row("-x", false, "'-x");
        row("=HYPERLINK(\"x\")", false, "\"'=HYPERLINK(\"\"x\"\")\"");
        row("\t=1", false, "'\t=1");
        row("\r=1", false, "\"'\r=1\"");
        row("@a", false, "'@a");
    }
    void textsAreSpelledOut()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const bool, isNumber);
        QFETCH(const QByteArray, field);
        QCOMPARE(QByteArray::fromStdString(core::csvField(text.toStdString(), isNumber)), field);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CsvFieldTest)
#include "tst_csv_field.moc"
