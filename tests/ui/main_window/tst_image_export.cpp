#include "core/base/error.h"
#include "ui/main_window/image_dialog.h"
#include "ui/main_window/image_export.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/picture_file.h"
#include "ui/main_window/screenshot.h"
#include "ui/session/session.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 120'000;

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Picture words(QSize size)
{
    return { size, [](QPainter &painter, double, bool) {
                painter.drawText(20, 40, QStringLiteral("caption"));
            } };
}

} // namespace

class TestImageExport : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }
    void ranksAreNamedByNumbers();
    void aNameGetsTheSuffixOfTheChosenKind();
    void anImageHasItsScale();
    void textStaysText();
    void whatIsTooLargeSaysSo();
    void anImageThatCannotBeMadeSaysSo();
    void aFolderThatIsNotThereIsNamed();
    void theCommandLineDrawsTheSame();
    void aPageToScrollIsDrawnWholeAndAsText();
    void aCopySaysSoAndMovesNothing();

private:
    QString file(const char *name) const { return m_folder.filePath(QLatin1String(name)); }

    QTemporaryDir m_folder;
};

void TestImageExport::ranksAreNamedByNumbers()
{
    const std::vector<QString> groups { QStringLiteral("Links"), QStringLiteral("rank 0"),
                                        QStringLiteral("rank 1"), QStringLiteral("rank 10") };
    const auto chosen
        = [&groups](const char *text) { return chosenGroups(QLatin1String(text), groups); };
    QVERIFY(chosen("")->empty());
    QCOMPARE(*chosen("1"), std::vector<QString>({ groups[2] }));
    QCOMPARE(*chosen("0-1, 10"), std::vector<QString>({ groups[1], groups[2], groups[3] }));
    QCOMPARE(*chosen("Links,0"), std::vector<QString>({ groups[0], groups[1] }));
    QVERIFY(!chosen("7"));
    QVERIFY(!chosen("some"));
}

void TestImageExport::aNameGetsTheSuffixOfTheChosenKind()
{
    const auto named = [](const char *path, const char *chosen) {
        return withSuffix(QLatin1String(path), QStringLiteral("job.png"),
                          QStringLiteral("PNG (*.png);;PDF (*.pdf)"), QLatin1String(chosen));
    };
    QCOMPARE(named("/a/x", "PDF (*.pdf)"), QStringLiteral("/a/x.pdf"));
    QCOMPARE(named("/a/x.v1", "PDF (*.pdf)"), QStringLiteral("/a/x.v1.pdf"));
    QCOMPARE(named("/a/job.png", "PDF (*.pdf)"), QStringLiteral("/a/job.pdf"));
    QCOMPARE(named("/a/x.pdf", "PNG (*.png)"), QStringLiteral("/a/x.pdf"));
    QCOMPARE(named("/a/x.png", "PNG (*.png)"), QStringLiteral("/a/x.png"));
}

void TestImageExport::anImageHasItsScale()
{
    writePicture(words({ 200, 100 }), 3, file("a.png"));
    QCOMPARE(QImage(file("a.png")).size(), QSize(600, 300));
}

void TestImageExport::textStaysText()
{
    writePicture(words({ 200, 100 }), 1, file("a.svg"));
    QVERIFY(contentOf(file("a.svg")).contains("caption"));
    writePicture(words({ 200, 100 }), 1, file("a.pdf"));
    const QByteArray pdf = contentOf(file("a.pdf"));
    QVERIFY(pdf.startsWith("%PDF"));
    QVERIFY(pdf.contains("/ToUnicode")); // of an embedded font: the text can be searched
    QVERIFY(pdf.contains("MediaBox [0 0 150")); // 200 x 100 pixels of 1/96 inch
}

void TestImageExport::whatIsTooLargeSaysSo()
{
    QVERIFY(whyTooLarge({ 2000, 5000 }, 2, QStringLiteral("a.png")).isEmpty());
    QVERIFY(whyTooLarge({ 2000, 5000 }, 8, QStringLiteral("a.png")).contains(u"40000"));
    QVERIFY(whyTooLarge({ 2000, 5000 }, 8, QStringLiteral("a.png")).contains(u"PDF or SVG"));
    QVERIFY(whyTooLarge({ 2000, 5000 }, 8, QStringLiteral("a.svg")).isEmpty());
    const QString ofVectors = whyTooLarge({ 2000, 50'000 }, 1, QStringLiteral("a.svg"));
    QVERIFY(ofVectors.contains(u"fewer ranks") && !ofVectors.contains(u"scale"));
    QVERIFY(!whyTooLarge({ 2000, 25'000 }, 1, QStringLiteral("a.pdf")).isEmpty());
    ImageExport images(nullptr);
    QSignalSpy failed(&images, &ImageExport::failed);
    images.write(words({ 20'000, 20'000 }), 1, file("large.png"));
    QCOMPARE(failed.size(), 1);
    QVERIFY(!QFile::exists(file("large.png")));
}

/// An image that there was no memory for was written as nothing, and copied as nothing.
void TestImageExport::anImageThatCannotBeMadeSaysSo()
{
    try {
        drawnImage(words({ 10'000'000, 1 }), 8); // a row of more bytes than QImage can count
        QFAIL("no error");
    } catch (const core::Error &error) {
        const QString message = QString::fromUtf8(error.what());
        QVERIFY2(message.contains(u"80000000") && message.contains(u"smaller scale")
                     && message.contains(u"PDF or SVG"),
                 error.what());
    }
}

void TestImageExport::aFolderThatIsNotThereIsNamed()
{
    for (const char *name : { "none/a.png", "none/a.svg", "none/a.pdf" }) {
        ImageExport images(nullptr);
        QSignalSpy failed(&images, &ImageExport::failed);
        images.write(words({ 20, 20 }), 1, file(name));
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed[0][0].toString().contains(u"a."));
    }
}

void TestImageExport::theCommandLineDrawsTheSame()
{
    LaunchOptions options = parseLaunchOptions(
        { QStringLiteral("longpole-ui"),
          QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25"),
          QStringLiteral("--picture"), QStringLiteral("timeline=") + file("t.svg"),
          QStringLiteral("--picture"), QStringLiteral("summary=") + file("s.png"),
          QStringLiteral("--ranks"), QStringLiteral("1"), QStringLiteral("--scale"),
          QStringLiteral("1") });
    Session session;
    MainWindow window(session, false);
    ScreenshotRunner runner(window, session, options);
    QSignalSpy finished(&runner, &ScreenshotRunner::finished);
    runner.start();
    window.open(options.paths);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
    QVERIFY2(finished[0][0].toInt() == 0, qPrintable(finished[0][1].toString()));
    const QByteArray drawing = contentOf(file("t.svg"));
    QVERIFY(drawing.contains("rank 1"));
    QVERIFY(!drawing.contains(">rank 0<"));
    QVERIFY(drawing.contains("forward compute")); // the legend
    QVERIFY(drawing.contains("trust: ")); // the caption
    QVERIFY(!drawing.contains("<image")); // no pixels
    QVERIFY(!QImage(file("s.png")).isNull());
}

/// The Summary was a screenshot: cut where the window ends, with a scroll bar.
void TestImageExport::aPageToScrollIsDrawnWholeAndAsText()
{
    LaunchOptions options = parseLaunchOptions(
        { QStringLiteral("longpole-ui"),
          QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25"),
          QStringLiteral("--picture"), QStringLiteral("summary=") + file("whole.svg"),
          QStringLiteral("--picture"), QStringLiteral("summary=") + file("whole.pdf") });
    Session session;
    MainWindow window(session, false);
    window.resize(1100, 600);
    ScreenshotRunner runner(window, session, options);
    QSignalSpy finished(&runner, &ScreenshotRunner::finished);
    runner.start();
    window.open(options.paths);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
    QVERIFY2(finished[0][0].toInt() == 0, qPrintable(finished[0][1].toString()));
    const QByteArray drawing = contentOf(file("whole.svg"));
    QVERIFY(drawing.contains("Iteration time by rank")); // the last section
    QVERIFY(drawing.contains("trust: ")); // the caption
    QWidget *view = window.workspace(QStringLiteral("summary"));
    const Picture picture = pictureOf(*view, {}, {});
    QVERIFY(picture.size.height() > view->height());
    QVERIFY(contentOf(file("whole.pdf")).contains("/ToUnicode"));
}

/// The notice that said so pushed the view down, and a copy said nothing.
void TestImageExport::aCopySaysSoAndMovesNothing()
{
    Session session;
    MainWindow window(session, false);
    window.resize(1280, 800);
    window.show();
    QWidget *view = window.workspace(QStringLiteral("welcome"));
    const QRect before = view->geometry();
    window.copyImage();
    QCoreApplication::processEvents();
    QCOMPARE(view->geometry(), before);
    QCOMPARE(QGuiApplication::clipboard()->image().size(), view->size() * 2);
    bool isSaid = false;
    for (const QLabel *label : window.findChildren<QLabel *>())
        isSaid = isSaid || label->text().startsWith(QLatin1String("Copied as an image"));
    QVERIFY(isSaid);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestImageExport)
#include "tst_image_export.moc"
