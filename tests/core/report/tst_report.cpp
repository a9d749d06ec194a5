#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/change/change_text.h"
#include "core/pipeline/pipeline.h"
#include "core/report/made_report.h"
#include "core/report/report_file.h"
#include "core/report/report_page.h"
#include "tests/support/shared_data.h"
#include "tests/support/unit_test.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <filesystem>
#include <optional>

using namespace core;

namespace {

/// Pages of a bundle's report, with the what-if of `words` where there are any.
std::vector<std::string> pagesOf(const std::filesystem::path &bundle,
                                 const std::vector<std::string> &words, Diagnosis &diagnosis)
{
    const QTemporaryDir folder;
    const std::filesystem::path file
        = std::filesystem::path(folder.path().toStdString()) / "job.longpole";
    importBundle({ bundle }, file, {}, {});
    const LoadedProject project = loadProject(file, {});
    diagnosis = diagnose(*project.trace, project.graph, {});
    setGainIntervals(gainIntervals(diagnosis, {}), diagnosis);
    std::optional<Prediction> whatIf;
    if (!words.empty()) {
        Predictor predictor = *diagnosis.predictor;
        whatIf = predictor.predictJudged(parseStrategy(words), {});
    }
    return madeReport(*project.trace, diagnosis,
                      { "job", "The clocks agree.", words.empty() ? "" : words.front() },
                      whatIf ? &*whatIf : nullptr, {});
}

/// Faults of a page: it is no XML, or a text begins beside the page.
QString faultOf(const std::string &document)
{
    QXmlStreamReader xml(QByteArray::fromStdString(document));
    int depth = 0; // of pictures, which have places of their own
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isEndElement() && xml.name() == QLatin1String("g"))
            --depth;
        if (!xml.isStartElement())
            continue;
        if (xml.name() == QLatin1String("g"))
            ++depth;
        const double x = xml.attributes().value(QLatin1String("x")).toDouble();
        const double y = xml.attributes().value(QLatin1String("y")).toDouble();
        if (depth == 0 && (x < 0 || x > PageWidth || y < 0 || y > PageHeight))
            return QStringLiteral("%1 at %2, %3").arg(xml.name()).arg(x).arg(y);
        for (const char *name : { "href", "src" })
            if (xml.attributes().hasAttribute(QLatin1String(name)))
                return QStringLiteral("a link to another file");
    }
    return xml.hasError() ? xml.errorString() : QString();
}

/// Place where the lowest thing of a page ends, its footer apart.
double lowestOf(const std::string &document)
{
    static const QRegularExpression moved(
        QStringLiteral("translate\\(([-0-9.]+) ([-0-9.]+)\\) scale\\(([0-9.]+)\\)"));
    QXmlStreamReader xml(QByteArray::fromStdString(document));
    double lowest = 0, top = 0, scale = 1;
    int depth = 0;
    while (!xml.atEnd()) {
        xml.readNext();
        const bool isGroup = xml.name() == QLatin1String("g");
        if (xml.isEndElement() && isGroup && --depth == 0) {
            top = 0;
            scale = 1;
        }
        if (!xml.isStartElement())
            continue;
        const QString transform = xml.attributes().value(QLatin1String("transform")).toString();
        if (const auto match = moved.match(transform); match.hasMatch()) {
            top = match.captured(2).toDouble();
            scale = match.captured(3).toDouble();
        }
        depth += isGroup ? 1 : 0;
        const double end = top
            + scale
                * (xml.attributes().value(QLatin1String("y")).toDouble()
                   + xml.attributes().value(QLatin1String("height")).toDouble());
        if (xml.name() != QLatin1String("svg") && end <= ReportPages::bottom() + 2)
            lowest = std::max(lowest, end);
    }
    return lowest;
}

} // namespace

class ReportTest : public QObject
{
    Q_OBJECT

private slots:
    void itSaysWhatTheDiagnosisSays();
    void itIsWholeAndNamesNoPlace_data();
    void itIsWholeAndNamesNoPlace();
};

void ReportTest::itSaysWhatTheDiagnosisSays()
{
    Diagnosis diagnosis;
    const auto pages = pagesOf(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25",
                               { "bucket_cap_mb=5" }, diagnosis);
    QString all;
    for (const std::string &page : pages)
        all += QString::fromStdString(page);
    QString words = all;
    words.remove(QRegularExpression(QStringLiteral("<[^>]*>"))).replace(u'\n', u' ');
    QVERIFY(words.contains(QString::fromStdString(diagnosis.verdict).left(20)));
    for (const Bottleneck &one : diagnosis.bottlenecks)
        QVERIFY2(words.contains(QString::fromStdString(one.title).left(12)),
                 qPrintable(QString::fromStdString(one.title)));
    for (const char *part :
         { "What would shorten it", "Upper limits", "What-ifs", "Ranks", "Timeline",
           "bucket_cap_mb=5", "Predicted with bucket_cap_mb=5", "The clocks agree.",
           "critical path", "end ", "Trust in the what-if: ",
           // as the Summary names what its figures and its map of ranks are of
           "median iteration, mean of", "slowest rank: ", " % of the iteration",
           "Mean iteration: the stronger the colour" })
        QVERIFY2(words.contains(QLatin1String(part)), part);
    QVERIFY(pages.size() <= 3);
}

void ReportTest::itIsWholeAndNamesNoPlace_data()
{
    QTest::addColumn<QString>("bundle");
    QTest::newRow("sample") << QStringLiteral(LONGPOLE_SOURCE_DIR
                                              "/resources/samples/vgg-w2-500mbit-b25");
    for (const char *name : { "data/real/megatron-tp8", "data/real/torchrec",
                              "data/testbed/emuvgg-w4-500mbit-b25-slow1x1.5" })
        QTest::newRow(name) << QString::fromStdString(name);
}

void ReportTest::itIsWholeAndNamesNoPlace()
{
    QFETCH(const QString, bundle);
    std::filesystem::path place = bundle.toStdString();
    if (place.is_relative()) {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        place = *shared / place;
    }
    Diagnosis diagnosis;
    const auto pages = pagesOf(place, {}, diagnosis);
    QVERIFY(!pages.empty() && pages.size() <= 3);
    for (const std::string &document : reportDocuments(pages))
        QVERIFY2(faultOf(document).isEmpty(), qPrintable(faultOf(document)));
    // Half of the first page was blank: the timeline stood on a page of its own.
    for (std::size_t i = 0; i + 1 < pages.size(); ++i)
        QVERIFY2(lowestOf(reportDocuments(pages)[i]) > 0.72 * PageHeight,
                 qPrintable(QString::number(lowestOf(reportDocuments(pages)[i]))));
    for (const std::string &page : pages)
        QVERIFY(page.find(">Timeline<") == std::string::npos
                || page.find("The typical iteration, replayed") != std::string::npos);
    const QString html = QString::fromStdString(reportHtml(pages, "job"));
    QVERIFY(!html.contains(QString::fromStdString(place.string())));
    QVERIFY(!html.contains(QLatin1String("file:")));
    static const QRegularExpression absolute(
        QStringLiteral("[ >\"'](/(home|tmp|work|usr|root|var)/)"));
    QVERIFY2(!html.contains(absolute), qPrintable(absolute.match(html).captured()));
}

LONGPOLE_TEST(ReportTest)
#include "tst_report.moc"
