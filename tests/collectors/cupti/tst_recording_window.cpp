#include "collectors/cupti/recording_window.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <csignal>
#include <functional>
#include <utility>

using namespace collectors;

namespace {

/// Settings from these variables alone.
CuptiSettings settingsOf(const std::vector<std::pair<const char *, const char *>> &variables)
{
    for (const auto &[name, value] : variables)
        qputenv(name, value);
    CuptiSettings settings = readCuptiSettings();
    for (const auto &[name, value] : variables)
        qunsetenv(name);
    return settings;
}

/// The iterations 0 .. count - 1 in which it is recorded; each takes a second.
std::vector<int> recordedIterations(const CuptiSettings &settings, int count)
{
    RecordingWindow window(settings, 0);
    std::vector<int> recorded;
    for (int i = 0; i < count; ++i) {
        window.noteIteration();
        if (window.update(i * 1'000'000'000LL))
            recorded.push_back(i);
    }
    return recorded;
}

} // namespace

class RecordingWindowTest : public QObject
{
    Q_OBJECT

private slots:
    void momentsAreIterationsOrTimes()
    {
        QCOMPARE(parseMoment("20")->value, std::int64_t { 20 });
        QVERIFY(parseMoment("20")->isIteration);
        QVERIFY(parseMoment("20it")->isIteration);
        QVERIFY(!parseMoment("30s")->isIteration);
        QCOMPARE(parseMoment("30s")->value, std::int64_t { 30'000'000'000 });
        QCOMPARE(parseMoment("500ms")->value, std::int64_t { 500'000'000 });
        for (const char *wrong :
             { "", "s", "-1", "1.5s", "1h", "99999999999999999999", "9999999999s" })
            QVERIFY2(!parseMoment(wrong), wrong);
    }

    void settingsThatAreNotUnderstoodAreNamedAndIgnored()
    {
        const CuptiSettings settings = settingsOf({ { "LONGPOLE_START", "soon" },
                                                    { "LONGPOLE_EVERY", "0" },
                                                    { "LONGPOLE_CUPTI_KINDS", "kernel,gpu" },
                                                    { "LONGPOLE_GRAPHS", "all" },
                                                    { "LONGPOLE_SIGNAL", "TERM" },
                                                    { "LONGPOLE_BUFFER_MIB", "1" } });
        QCOMPARE(settings.complaints.size(), std::size_t { 6 });
        QVERIFY(!settings.start);
        QCOMPARE(settings.every, std::int64_t { 1 });
        QCOMPARE(settings.groups, unsigned { AllGroups });
        QCOMPARE(settings.signal, 0);
        QCOMPARE(settings.bufferBytes, std::size_t { 256 } << 20U);
        QVERIFY(settings.complaints[0].starts_with("LONGPOLE_START=soon is not understood"));
    }

    void settingsAreRead()
    {
        const CuptiSettings settings = settingsOf({ { "LONGPOLE_OUT", "/x" },
                                                    { "LONGPOLE_CUPTI_KINDS", "kernel,sync" },
                                                    { "LONGPOLE_GRAPHS", "late" },
                                                    { "LONGPOLE_SIGNAL", "USR1" },
                                                    { "LONGPOLE_BUFFER_MIB", "64" } });
        QVERIFY(settings.complaints.empty());
        QCOMPARE(settings.folder, std::string("/x"));
        QCOMPARE(settings.groups, unsigned { GroupKernels | GroupSync });
        QVERIFY(settings.graphs == GraphMode::Late);
        QCOMPARE(settings.signal, SIGUSR1);
        QCOMPARE(settings.bufferBytes, std::size_t { 64 } << 20U);
        QVERIFY(settings.waitsForOrder());
        QCOMPARE(settingsOf({ { "LONGPOLE_CUPTI_KINDS", "none" } }).groups, 0U);
    }

    void iterationsAreChosen_data()
    {
        using Variables = std::vector<std::pair<const char *, const char *>>;
        QTest::addColumn<Variables>("variables");
        QTest::addColumn<std::vector<int>>("expected");
        const auto row
            = [](const char *name, const Variables &variables, const std::vector<int> &expected) {
                  QTest::newRow(name) << variables << expected;
              };
        row("all", {}, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 });
        row("from 3", { { "LONGPOLE_START", "3" } }, { 3, 4, 5, 6, 7, 8, 9 });
        row("until 3", { { "LONGPOLE_STOP", "3" } }, { 0, 1, 2 });
        row("3 to 6", { { "LONGPOLE_START", "3" }, { "LONGPOLE_STOP", "6" } }, { 3, 4, 5 });
        row("4 from 3", { { "LONGPOLE_START", "3" }, { "LONGPOLE_DURATION", "4" } },
            { 3, 4, 5, 6 });
        row("the first 2", { { "LONGPOLE_DURATION", "2" } }, { 0, 1 });
        row("from second 3", { { "LONGPOLE_START", "3s" } }, { 3, 4, 5, 6, 7, 8, 9 });
        row("2 s from iteration 3", { { "LONGPOLE_START", "3" }, { "LONGPOLE_DURATION", "2s" } },
            { 3, 4 });
        row("every third", { { "LONGPOLE_EVERY", "3" } }, { 0, 3, 6, 9 });
        row("every third from 4", { { "LONGPOLE_EVERY", "3" }, { "LONGPOLE_START", "4" } },
            { 6, 9 });
        row("on order", { { "LONGPOLE_SIGNAL", "USR1" } }, {});
    }
    void iterationsAreChosen()
    {
        using Variables = std::vector<std::pair<const char *, const char *>>;
        QFETCH(Variables, variables);
        QFETCH(std::vector<int>, expected);
        QCOMPARE(recordedIterations(settingsOf(variables), 10), expected);
    }

    void theLastOrderCounts()
    {
        RecordingWindow window(settingsOf({ { "LONGPOLE_SIGNAL", "USR1" } }), 0);
        QVERIFY(!window.isOpen());
        window.noteToggle();
        QVERIFY(window.update(1));
        window.noteToggle();
        window.noteToggle();
        QVERIFY(window.update(2));
        window.noteOrder(false);
        QVERIFY(!window.update(3));
        window.noteOrder(true);
        QVERIFY(window.update(4));
        QVERIFY(window.isOpen());
    }

    void aDurationBeginsAnewWithEachOrder()
    {
        RecordingWindow window(
            settingsOf({ { "LONGPOLE_SIGNAL", "USR1" }, { "LONGPOLE_DURATION", "1s" } }), 0);
        for (const std::int64_t seconds : { 10, 20 }) {
            window.noteToggle();
            QVERIFY(window.update(seconds * 1'000'000'000));
            QVERIFY(window.update(seconds * 1'000'000'000 + 999'999'999));
            QVERIFY(!window.update(seconds * 1'000'000'000 + 1'000'000'000));
        }
    }

    void aFileControlsIt()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("control"));
        RecordingWindow window(settingsOf({ { "LONGPOLE_CONTROL", qPrintable(path) } }), 0);
        const auto write = [&path](const char *text) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        };
        QVERIFY(!window.update(1));
        write("start\n");
        QVERIFY(window.update(2));
        write("what?\n");
        QVERIFY(window.update(3));
        write("stop\n");
        QVERIFY(!window.update(4));
    }

    /// Opening a pipe waits for its other end: the recording stood still.
    void aPipeInItsPlaceIsNotWaitedFor()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("control"));
        QCOMPARE(mkfifo(qPrintable(path), 0600), 0);
        RecordingWindow window(settingsOf({ { "LONGPOLE_CONTROL", qPrintable(path) } }), 0);
        QVERIFY(!window.update(1));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(RecordingWindowTest)
#include "tst_recording_window.moc"
