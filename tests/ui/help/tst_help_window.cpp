#include "ui/help/help_browser.h"
#include "ui/help/help_window.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QTextFrame>
#include <QTextTable>

#include <algorithm>

using namespace ui;

namespace {

/// "trust.md" of "[Trust](trust.md)".
QStringList linksOf(const QString &markdown)
{
    static const QRegularExpression link(QStringLiteral("\\[[^\\]]*\\]\\(([^)\\s]+)\\)"));
    QStringList found;
    auto matches = link.globalMatch(markdown);
    while (matches.hasNext())
        found << matches.next().captured(1);
    return found;
}

QString textOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QUrl sourceOf(const QString &id)
{
    const auto pages = helpPages();
    const auto at = std::find_if(pages.begin(), pages.end(),
                                 [&id](const HelpPage &page) { return page.id == id; });
    return at == pages.end() ? QUrl() : at->source;
}

/// The cursor behind the first character of the first link.
QTextCursor firstLink(const HelpBrowser &browser)
{
    QTextCursor cursor(browser.document());
    while (!cursor.charFormat().isAnchor() && cursor.movePosition(QTextCursor::NextCharacter)) { }
    return cursor;
}

QPoint placeOfFirstLink(const HelpBrowser &browser)
{
    return browser.cursorRect(firstLink(browser)).center() - QPoint(2, 0);
}

} // namespace

class TestHelpWindow : public QObject
{
    Q_OBJECT

private slots:
    void everyPageIsShown();
    void everyLinkLeadsToAPage();
    void noPageOfTheFolderIsLeftOut();
    void everyWorkspaceHasAPage_data();
    void everyWorkspaceHasAPage();
    void aLinkSelectsItsPageInTheContents();
    void wordsOfThePageAreFound();
    void colorsFollowTheTheme();
    void tablesHaveLines();
    void aPageInSightIsLaidOutAFewTimes();
};

void TestHelpWindow::everyPageIsShown()
{
    HelpWindow window(nullptr);
    const auto pages = helpPages();
    QVERIFY(pages.size() > 5);
    for (const HelpPage &page : pages) {
        window.showPage(page.id);
        QCOMPARE(window.browser().source(), page.source);
        QVERIFY2(!page.title.isEmpty(), qPrintable(page.id));
        const QString text = window.browser().toPlainText();
        QVERIFY2(text.startsWith(page.title), qPrintable(page.id));
        QVERIFY2(text.size() > 200, qPrintable(page.id));
        QVERIFY2(!text.contains(QLatin1String("<!--")), qPrintable(page.id));
    }
}

/// The same links lead on when the pages are read as files.
void TestHelpWindow::everyLinkLeadsToAPage()
{
    const auto pages = helpPages();
    int links = 0;
    for (const HelpPage &page : pages) {
        const auto targets = linksOf(textOf(QLatin1Char(':') + page.source.path()));
        for (const QString &target : targets) {
            const QUrl url(target);
            if (!url.isRelative())
                continue;
            const QUrl resolved = page.source.resolved(url);
            const auto isTarget
                = [&resolved](const HelpPage &one) { return one.source == resolved; };
            QVERIFY2(std::any_of(pages.begin(), pages.end(), isTarget),
                     qPrintable(page.id + QLatin1String(": ") + target));
            QVERIFY2(QFile::exists(QLatin1String(LONGPOLE_SOURCE_DIR) + resolved.path()),
                     qPrintable(resolved.path()));
            ++links;
        }
    }
    QVERIFY(links > 20);
}

void TestHelpWindow::noPageOfTheFolderIsLeftOut()
{
    const QDir folder(QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/help"));
    const QStringList files = folder.entryList({ QStringLiteral("*.md") });
    QVERIFY(!files.isEmpty());
    for (const QString &file : files) {
        const QString id = QString(file).remove(QLatin1String(".md"));
        QVERIFY2(!sourceOf(id).isEmpty(), qPrintable(file));
        const qsizetype lines = textOf(folder.filePath(file)).count(QLatin1Char('\n'));
        QVERIFY2(lines <= 120, qPrintable(file));
    }
}

void TestHelpWindow::everyWorkspaceHasAPage_data()
{
    QTest::addColumn<QString>("page");
    QTest::newRow("welcome") << "index";
    QTest::newRow("summary") << "window";
    QTest::newRow("timeline") << "timeline";
    QTest::newRow("compare") << "what-ifs";
    QTest::newRow("strategies") << "strategies";
    QTest::newRow("import") << "import";
    QTest::newRow("clocks") << "clocks";
    QTest::newRow("ops") << "window";
    QTest::newRow("sql") << "window";
}

void TestHelpWindow::everyWorkspaceHasAPage()
{
    QFETCH(QString, page);
    QCOMPARE(helpPageOf(QString::fromLatin1(QTest::currentDataTag())), page);
    QVERIFY(!sourceOf(page).isEmpty());
}

void TestHelpWindow::aLinkSelectsItsPageInTheContents()
{
    HelpWindow window(nullptr);
    window.show();
    auto *contents = window.findChild<QListWidget *>();
    QCOMPARE(contents->currentRow(), 0);
    QTest::mouseClick(window.browser().viewport(), Qt::LeftButton, {},
                      placeOfFirstLink(window.browser()));
    QCOMPARE(window.browser().source(), sourceOf(QStringLiteral("recording")));
    QCOMPARE(contents->currentItem()->text(), QStringLiteral("Recording a job"));
    window.browser().backward();
    QCOMPARE(contents->currentRow(), 0);
    contents->setCurrentRow(2);
    QCOMPARE(window.browser().source(), helpPages().at(2).source);
    QVERIFY(window.browser().isBackwardAvailable());
}

void TestHelpWindow::wordsOfThePageAreFound()
{
    HelpWindow window(nullptr);
    window.showPage(QStringLiteral("what-ifs"));
    HelpBrowser &browser = window.browser();
    QVERIFY(browser.findNext(QStringLiteral("BUCKET_cap_mb")));
    QCOMPARE(browser.textCursor().selectedText(), QStringLiteral("bucket_cap_mb"));
    const int first = browser.textCursor().position();
    QVERIFY(browser.findNext(QStringLiteral("bucket_cap_mb")));
    QVERIFY(browser.textCursor().position() > first);
    QVERIFY(browser.findNext(QStringLiteral("replay job.longpole"))); // before it: goes round
    QVERIFY(!browser.findNext(QStringLiteral("no such words")));
    QVERIFY(!browser.findNext({}));
}

void TestHelpWindow::colorsFollowTheTheme()
{
    HelpWindow window(nullptr);
    window.show();
    for (const ThemeChoice choice : { ThemeChoice::Dark, ThemeChoice::Light }) {
        applyTheme(*qApp, choice);
        const Theme &theme = themeOf(qApp->palette());
        QVERIFY(firstLink(window.browser()).charFormat().isAnchor());
        QTRY_COMPARE(firstLink(window.browser()).charFormat().foreground().color(), theme.accent);
    }
}

void TestHelpWindow::tablesHaveLines()
{
    HelpWindow window(nullptr);
    window.showPage(QStringLiteral("glossary"));
    int tables = 0;
    const auto frames = window.browser().document()->rootFrame()->childFrames();
    for (QTextFrame *frame : frames)
        if (const auto *table = qobject_cast<QTextTable *>(frame)) {
            QCOMPARE(table->format().border(), 1.0);
            QVERIFY(table->format().cellPadding() > 0);
            ++tables;
        }
    QCOMPARE(tables, 1);
}

/// Each row of a table, laid out anew, made the longest page stop the window for 0.14 s.
void TestHelpWindow::aPageInSightIsLaidOutAFewTimes()
{
    HelpWindow window(nullptr);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const auto *browser = window.findChild<HelpBrowser *>();
    QVERIFY(browser != nullptr);
    const QSignalSpy laidOut(browser->document()->documentLayout(),
                             &QAbstractTextDocumentLayout::documentSizeChanged);
    window.showPage(QStringLiteral("command-line"));
    QVERIFY(browser->document()->rootFrame()->childFrames().size() >= 3);
    QVERIFY(browser->document()->size().height() > window.height());
    qInfo("laid out %d times", int(laidOut.count()));
    QVERIFY(laidOut.count() <= 6);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestHelpWindow)
#include "tst_help_window.moc"
