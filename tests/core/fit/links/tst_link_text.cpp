#include "core/fit/links/link_text.h"

#include <QTest>

using namespace core;

class TestLinkText : public QObject
{
    Q_OBJECT

private slots:
    /// A job of many groups had a line for each of its links.
    void ofManyLinksThoseWithMostBytesAreNamed()
    {
        std::vector<LinkModel> links;
        for (int i = 0; i < 6; ++i) {
            LinkModel link;
            link.group = "group " + std::to_string(i);
            link.alphaNs = 1000;
            link.betaNsPerByte = i == 1 ? 0 : 8.0 * (i + 1); // one is not fitted
            link.transfers = 10;
            link.meanBytes = 100.0 * i;
            links.push_back(link);
        }
        const std::vector<std::string> texts = fittedLinkTexts(links);
        QCOMPARE(texts.size(), std::size_t { 4 });
        QVERIFY(
            texts[0].starts_with("Link 'group 5', fitted from 10 transfers: 1.000 us latency, "));
        QVERIFY(texts[1].find("'group 4'") != std::string::npos);
        QVERIFY(texts[2].find("'group 3'") != std::string::npos);
        QCOMPARE(texts[3],
                 std::string("2 more links, fitted from 20 transfers: 41.7 MB/s to 125 MB/s "
                             "of data."));
        links.resize(2);
        QCOMPARE(fittedLinkTexts(links).size(), std::size_t { 1 });
        QVERIFY(fittedLinkTexts({}).empty());
    }

    /// It was "0 ns latency", as if measured.
    void aLatencyThatIsNotKnownIsNoNumber()
    {
        LinkModel link;
        link.group = "network";
        link.betaNsPerByte = 8;
        link.transfers = 10;
        for (const bool hasSizes : { false, true }) {
            link.hasSizes = hasSizes;
            const std::string text = fittedLinkTexts({ link }).front();
            QVERIFY2(text.find("latency not known") != std::string::npos, text.c_str());
            QVERIFY2(text.find("0 ns") == std::string::npos, text.c_str());
        }
        link.isAlphaFitted = true;
        QVERIFY(unknownLatencyText(link).empty());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLinkText)
#include "tst_link_text.moc"
