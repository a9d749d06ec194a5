#include "core/report/report_page.h"
#include "tests/support/unit_test.h"

#include <QString>
#include <QTest>

#include <algorithm>

using namespace core;

class ReportPageTest : public QObject
{
    Q_OBJECT

private slots:
    void noLineIsWiderThanAsked();
    void whatDoesNotFitGoesToTheNextPage();
    void aNumberKeepsItsUnit();
    void marksAreNoMarkup();
    void aParagraphIsAsHighAsItIsSaid();
};

void ReportPageTest::noLineIsWiderThanAsked()
{
    const TextStyle style { .size = 12, .isBold = true };
    const std::string text = "Rank 1 makes the others wait at "
                             "at::native::vectorized_elementwise_kernel<4,at::native::CUDAFunctor> "
                             "\u00fcber \u00e4u\u00dferst lange Zeit";
    for (const double width : { 60.0, 150.0, 400.0, 2000.0 }) {
        const std::vector<std::string> lines = wrapped(text, width, style);
        QCOMPARE(lines.size() > 1, width < 2000);
        for (const std::string &line : lines) {
            QVERIFY(textWidth(line, style) <= width);
            QVERIFY(!QString::fromStdString(line).contains(QChar::ReplacementCharacter));
        }
    }
    QCOMPARE(wrapped("", 100, style), std::vector<std::string> { "" });
    QCOMPARE(wrapped(text, 2000, style), std::vector<std::string> { text });
}

void ReportPageTest::whatDoesNotFitGoesToTheNextPage()
{
    ReportPages pages;
    pages.need(1e6); // higher than any page: no empty one comes first
    constexpr int Lines = 200;
    for (int i = 0; i < Lines; ++i)
        pages.paragraph("line " + std::to_string(i) + ".", {});
    const std::vector<std::string> made = pages.finish("foot");
    QVERIFY(made.size() > 1);
    int found = 0;
    for (std::size_t page = 0; page < made.size(); ++page) {
        const QString text = QString::fromStdString(made[page]);
        QCOMPARE(text.count(QStringLiteral(">foot<")), 1);
        QVERIFY(text.contains(QStringLiteral("page %1 of %2").arg(page + 1).arg(made.size())));
        found += static_cast<int>(text.count(QStringLiteral(">line ")));
    }
    QCOMPARE(found, Lines);
}

/// "16.38" stood at the end of a line and "ms" on the next one.
void ReportPageTest::aNumberKeepsItsUnit()
{
    const TextStyle style;
    const std::string text = "it takes 16.38 ms, or (the 4 others) 46.67 us).";
    for (int width = 60; width < 300; width += 4)
        for (const std::string &line : wrapped(text, width, style)) {
            QVERIFY2(!line.starts_with("ms") && !line.starts_with("us"), line.c_str());
            QVERIFY(textWidth(line, style) <= width);
        }
    const std::vector<std::string> lines = wrapped(text, 105, style);
    QVERIFY(lines.size() > 2);
    QCOMPARE(wrapped("4 others", textWidth("others", style), style).size(), std::size_t(2));
}

void ReportPageTest::marksAreNoMarkup()
{
    ReportPages pages;
    pages.paragraph("a <script> & \"b\"", {});
    QVERIFY(pages.finish("").front().find("<script>") == std::string::npos);
}

void ReportPageTest::aParagraphIsAsHighAsItIsSaid()
{
    const TextStyle style { .size = 11 };
    const std::string text(300, 'a');
    std::string words;
    for (int i = 0; i < 60; ++i)
        words += "word ";
    for (const std::string &one : { text, words, std::string("short") }) {
        ReportPages pages;
        const double before = pages.y();
        pages.paragraph(one, style, PageMargin, 200);
        QCOMPARE(pages.y() - before, paragraphHeight(one, style, 200));
    }
    QCOMPARE(paragraphHeight("", style, 200), 0.0);
}

LONGPOLE_TEST(ReportPageTest)
#include "tst_report_page.moc"
