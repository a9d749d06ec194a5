#include "core/pipeline/pipeline.h"
#include "ui/main_window/opening_times.h"
#include "ui/session/session.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 300'000;

/// Asks for a new picture whenever the analysis changes, as the Summary does.
class Page : public QWidget
{
public:
    explicit Page(Session &session)
    {
        connect(&session, &Session::analysisChanged, this, qOverload<>(&QWidget::update));
    }
};

} // namespace

class TestOpeningTimes : public QObject
{
    Q_OBJECT

private slots:
    void theyAreOnlyWantedWhereTheLogIsRead() { QVERIFY(!OpeningTimes::areWanted()); }

    void theFindingsArePaintedAfterTheyAreThere()
    {
        const QTemporaryDir folder;
        const QString project = folder.filePath(QStringLiteral("p.longpole"));
        core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                           project.toStdString(), {}, {});
        Session session;
        Page page(session);
        OpeningTimes times(page, session);
        QStringList lines;
        connect(&times, &OpeningTimes::told, this,
                [&](const QString &line) { lines << line.section(QLatin1Char(':'), 0, 0); });
        page.show();
        session.openProject(project);
        const QString last = QStringLiteral("findings painted");
        QVERIFY(QTest::qWaitFor([&] { return lines.contains(last); }, timeoutMs));
        QVERIFY(lines.contains(QStringLiteral("window painted")));
        QVERIFY(lines.indexOf(QStringLiteral("project open"))
                < lines.indexOf(QStringLiteral("findings there")));
        QVERIFY(lines.indexOf(QStringLiteral("findings there")) < lines.indexOf(last));
        QVERIFY(QTest::qWaitFor([&] { return session.isIdle(); }, timeoutMs));
        QCOMPARE(lines.count(last), 1);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpeningTimes)
#include "tst_opening_times.moc"
