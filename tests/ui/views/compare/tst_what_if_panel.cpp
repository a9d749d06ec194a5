#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "ui/views/compare/setting_row.h"
#include "ui/views/compare/setting_words.h"
#include "ui/views/compare/status_note.h"
#include "ui/views/compare/unusable_settings.h"
#include "ui/views/compare/what_if_panel.h"
#include "ui/views/compare/word_row.h"
#include "ui/widgets/format.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLocale>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>

using namespace ui;

class TestWhatIfPanel : public QObject
{
    Q_OBJECT

private slots:
    void everySettingComesBackAsItWasSet();
    void movingOneSettingKeepsTheOthers();
    void aWordBeginsAsRecorded();
    void theFusionBufferIsShownInMebibytes();
    void theNumberThatIsShownIsTheOneThatIsUsed();
    void aBandwidthBeginsWithTheLinksOwn();
    void theLaterOfTwoBandwidthsReplacesTheEarlier();
    void partitionsAndBucketsReplaceEachOther();
    void eachRankHasItsOwnValue();
    void transfersOfGroupsHaveTheirOwnFactor();
    void settingsThatTheTraceDoesNotSupportAreDisabledAndSayWhy();
    void aFastLinkIsShownInGigabytes();
    void whatIsSaidOfAPredictionMovesNoSetting();
    void theWheelScrollsAndSetsNothing();
    void aSettingThatIsTriedIsScrolledToAndMarked();
    void numbersHaveAPointInEveryLanguage();
    void whatWasRecordedStandsBesideTheFields();
    void aLongNoteScrolls();
};

namespace {

core::Strategy everything()
{
    return core::parseStrategy({ "bucket_cap_mb=5", "first_bucket_mb=2", "bandwidth_mbit=400",
                                 "bandwidth_mbit:2=100", "latency_us=20", "world_size=16",
                                 "collective=ps:3000", "compute_scale=0.5", "compute_scale:1=1.5",
                                 "compute_scale:2=3", "batch_scale=2", "host_overhead_scale=0",
                                 "comm_scale=0.5", "comm_scale:0,4=0.25", "input_scale=0",
                                 "ideal_peers=1", "ideal_pipeline=1", "schedule=wfbp" });
}

core::Strategy partitions()
{
    return core::parseStrategy(
        { "schedule=fifo", "partition_bytes=1000001", "credit_bytes=3000000", "expand=1" });
}

/// Of a job of these ranks, some of which transfer between just themselves.
core::ChangeFacts factsOf(const std::vector<int> &ranks,
                          const std::set<std::vector<int>> &groups = {},
                          const core::Strategy &measured = {})
{
    core::ChangeFacts facts;
    facts.measured = measured;
    for (const int rank : ranks)
        for (const char *key : { "bandwidth_mbit", "compute_scale" })
            facts.rankChoices[key].insert({ rank });
    facts.rankChoices["comm_scale"] = groups;
    return facts;
}

SettingRow *rowTitled(const WhatIfPanel &panel, const QString &title)
{
    for (SettingRow *row : panel.findChildren<SettingRow *>())
        if (row->findChild<QCheckBox *>()->text() == title)
            return row;
    return nullptr;
}

WordRow *wordRowTitled(const WhatIfPanel &panel, const QString &title)
{
    for (WordRow *row : panel.findChildren<WordRow *>())
        if (row->findChild<QCheckBox *>()->text() == title)
            return row;
    return nullptr;
}

QCheckBox *boxTitled(const WhatIfPanel &panel, const QString &title)
{
    for (QCheckBox *box : panel.findChildren<QCheckBox *>())
        if (box->text() == title)
            return box;
    return nullptr;
}

/// Without what keeps a unit in one line.
QString plainSlashes(QString text)
{
    return text.remove(QChar(0x2060));
}

bool hasVisibleText(const WhatIfPanel &panel, const QString &text)
{
    for (const QLabel *label : panel.findChildren<QLabel *>()) {
        if (label->isVisibleTo(&panel) && label->text().contains(text))
            return true;
    }
    return false;
}

} // namespace

void TestWhatIfPanel::everySettingComesBackAsItWasSet()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1, 2 }));
    QVERIFY(panel.strategy().isEmpty());
    const QSignalSpy changed(&panel, &WhatIfPanel::strategyChanged);
    panel.setStrategy(everything());
    QVERIFY(panel.strategy() == everything());
    panel.setStrategy(partitions());
    QVERIFY(panel.strategy() == partitions());
    panel.setStrategy({});
    QVERIFY(panel.strategy().isEmpty());
    QCOMPARE(changed.count(), 0);
}

void TestWhatIfPanel::partitionsAndBucketsReplaceEachOther()
{
    WhatIfPanel panel(nullptr);
    panel.setStrategy(partitions());
    rowTitled(panel, QStringLiteral("Bucket size"))->findChild<QDoubleSpinBox *>()->setValue(7);
    QVERIFY(!panel.strategy().has("schedule") && !panel.strategy().has("partition_bytes"));
    QCOMPARE(panel.strategy().number("bucket_cap_mb"), std::optional(7.0));
    rowTitled(panel, QStringLiteral("Cycle time"))->findChild<QDoubleSpinBox *>()->setValue(5);
    QCOMPARE(panel.strategy().number("cycle_time_ms"), std::optional(5.0));
    QVERIFY(!panel.strategy().has("bucket_cap_mb"));
    WordRow *row = wordRowTitled(panel, QStringLiteral("Schedule"));
    row->findChild<QCheckBox *>()->setChecked(true);
    QCOMPARE(panel.strategy().text("schedule"), std::optional<std::string>("fifo")); // as before
    QVERIFY(!panel.strategy().has("cycle_time_ms"));
    auto *size = rowTitled(panel, QStringLiteral("Partition size"))->findChild<QDoubleSpinBox *>();
    size->setValue(64);
    QCOMPARE(panel.strategy().number("partition_bytes"), std::optional(65'536.0));
    row->findChild<QComboBox *>()->setCurrentText(QStringLiteral("Buckets in order of readiness"));
    QCOMPARE(panel.strategy().text("schedule"), std::optional<std::string>("wfbp"));
    QVERIFY(!panel.strategy().has("partition_bytes"));
}

void TestWhatIfPanel::aWordBeginsAsRecorded()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1 }, {}, { { "schedule", std::string("fifo") } }));
    QVERIFY(panel.strategy().isEmpty());
    QVERIFY(hasVisibleText(panel, QStringLiteral("recorded: Partitions in order of readiness")));
    wordRowTitled(panel, QStringLiteral("Schedule"))->findChild<QCheckBox *>()->setChecked(true);
    QCOMPARE(panel.strategy().text("schedule"), std::optional<std::string>("fifo"));
    const auto *words = wordRowTitled(panel, QStringLiteral("Schedule"))->findChild<QComboBox *>();
    for (int i = 0; i < words->count(); ++i) // each says what it does
        QVERIFY(!words->itemData(i, Qt::ToolTipRole).toString().isEmpty());
    // Some words have a number behind them.
    WordRow *algorithm = wordRowTitled(panel, QStringLiteral("All-reduce algorithm"));
    auto *algorithms = algorithm->findChild<QComboBox *>();
    algorithms->setCurrentText(QStringLiteral("Parameter server"));
    QVERIFY(algorithm->findChild<QSpinBox *>()->isVisibleTo(algorithm));
    algorithm->findChild<QSpinBox *>()->setValue(4);
    QCOMPARE(panel.strategy().text("collective"), std::optional<std::string>("ps:4"));
}

void TestWhatIfPanel::movingOneSettingKeepsTheOthers()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1, 2 }));
    panel.setStrategy(everything());
    const QSignalSpy changed(&panel, &WhatIfPanel::strategyChanged);
    rowTitled(panel, QStringLiteral("Bucket size"))->findChild<QDoubleSpinBox *>()->setValue(7);
    core::Strategy expected = everything();
    expected.set({ "bucket_cap_mb", 7.0 });
    QVERIFY(panel.strategy() == expected);
    QCOMPARE(changed.count(), 1);
}

void TestWhatIfPanel::theFusionBufferIsShownInMebibytes()
{
    WhatIfPanel panel(nullptr);
    auto *number = rowTitled(panel, QStringLiteral("Fusion buffer"))->findChild<QDoubleSpinBox *>();
    QVERIFY(number->text().endsWith(QStringLiteral(" MiB")));
    QVERIFY(number->minimum() > 0); // the slider's scale is logarithmic
    number->setValue(2);
    QCOMPARE(panel.strategy().number("fusion_threshold_bytes"), std::optional(2.0 * 1024 * 1024));
    // What was given in bytes is not rounded to what is shown.
    const core::Strategy given = core::parseStrategy({ "fusion_threshold_bytes=5000001" });
    panel.setStrategy(given);
    QVERIFY(number->text().startsWith(QStringLiteral("4.768")));
    QVERIFY(panel.strategy() == given);
}

void TestWhatIfPanel::theNumberThatIsShownIsTheOneThatIsUsed()
{
    // The link is fitted again while its setting, which was given, is switched off.
    WhatIfPanel panel(nullptr);
    SettingRow *row = rowTitled(panel, QStringLiteral("Link bandwidth"));
    auto *box = row->findChild<QCheckBox *>();
    panel.setStrategy(core::parseStrategy({ "bandwidth_mbit=300" }));
    box->setChecked(false);
    panel.setFacts(factsOf({ 0, 1 }, {}, { { "bandwidth_mbit", 1000.0 } }));
    box->setChecked(true);
    QCOMPARE(row->findChild<QDoubleSpinBox *>()->value(), 1000.0);
    QCOMPARE(panel.strategy().number("bandwidth_mbit"), std::optional(1000.0));
}

/// It began with the fitted rate, which has no headers: switched on unchanged it made a change.
void TestWhatIfPanel::aBandwidthBeginsWithTheLinksOwn()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1 }));
    core::LinkModel link;
    link.betaNsPerByte = 8e3 / 468;
    link.hasSizes = true;
    link.bandwidthMbit = 489;
    link.transfers = 12;
    link.meanBytes = 1e6;
    core::LinkModel near = link; // says nothing of the network
    near.isWithinHost = true;
    near.bandwidthMbit = 9000;
    panel.showLinks({ near, link });
    panel.setFacts(factsOf({ 0, 1 }, {}, { { "bandwidth_mbit", 489.0 } }));
    SettingRow *row = rowTitled(panel, QStringLiteral("Link bandwidth"));
    row->findChild<QCheckBox *>()->setChecked(true);
    QCOMPARE(panel.strategy().number("bandwidth_mbit"), std::optional(489.0));
    rowTitled(panel, QStringLiteral("This rank's link"))
        ->findChild<QCheckBox *>()
        ->setChecked(true);
    QVERIFY(
        panel.strategy()
        == (core::Strategy { { "bandwidth_mbit", 489.0 }, { "bandwidth_mbit", 489.0, { 0 } } }));
    const auto says = [&panel](const QString &words) {
        const auto labels = panel.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [&words](const QLabel *label) {
            return label->text().remove(QChar(0x2060)).contains(words);
        });
    };
    QVERIFY(says(QStringLiteral("489 Mbit/s.")));
    QVERIFY(!says(QStringLiteral("Links differ")));

    // More digits than are shown.
    WhatIfPanel other(nullptr);
    other.setFacts(factsOf({ 0, 1 }, {}, { { "bandwidth_mbit", 123.456 } }));
    row = rowTitled(other, QStringLiteral("Link bandwidth"));
    row->findChild<QCheckBox *>()->setChecked(true);
    QCOMPARE(other.strategy().number("bandwidth_mbit"), std::optional(123.456));
}

void TestWhatIfPanel::theLaterOfTwoBandwidthsReplacesTheEarlier()
{
    WhatIfPanel panel(nullptr);
    rowTitled(panel, QStringLiteral("Link bandwidth"))->findChild<QCheckBox *>()->setChecked(true);
    rowTitled(panel, QStringLiteral("Bandwidth factor"))
        ->findChild<QCheckBox *>()
        ->setChecked(true);
    QVERIFY(!panel.strategy().has("bandwidth_mbit"));
    QVERIFY(panel.strategy().has("bandwidth_scale"));
}

void TestWhatIfPanel::eachRankHasItsOwnValue()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 5 }));
    SettingRow *row = rowTitled(panel, QStringLiteral("This rank's compute"));
    auto *rank = row->parentWidget()->findChild<QComboBox *>();
    auto *number = row->findChild<QDoubleSpinBox *>();
    number->setValue(3);
    rank->setCurrentIndex(1);
    QVERIFY(!row->value());
    number->setValue(4);
    QVERIFY(
        panel.strategy()
        == (core::Strategy { { "compute_scale", 3.0, { 0 } }, { "compute_scale", 4.0, { 5 } } }));
    row->findChild<QCheckBox *>()->setChecked(false);
    QVERIFY(panel.strategy() == (core::Strategy { { "compute_scale", 3.0, { 0 } } }));
}

void TestWhatIfPanel::transfersOfGroupsHaveTheirOwnFactor()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1, 2, 3 }));
    SettingRow *row = rowTitled(panel, QStringLiteral("Their transfers"));
    QVERIFY(!row->parentWidget()->isVisibleTo(&panel));
    panel.setFacts(factsOf({ 0, 1, 2, 3 }, { { 0, 1 }, { 2, 3 } }));
    QVERIFY(row->parentWidget()->isVisibleTo(&panel));
    row->parentWidget()->findChild<QComboBox *>()->setCurrentIndex(1);
    row->findChild<QDoubleSpinBox *>()->setValue(0.25);
    QVERIFY(panel.strategy() == (core::Strategy { { "comm_scale", 0.25, { 2, 3 } } }));
    // A set value is seen, also where the trace shows no such transfers (by --set).
    panel.setFacts(factsOf({ 0, 1, 2, 3 }, { { 0, 1, 2, 3 } }));
    QVERIFY(row->parentWidget()->isVisibleTo(&panel));
    panel.setStrategy({});
    QVERIFY(!row->parentWidget()->isVisibleTo(&panel));
    panel.setStrategy(core::parseStrategy({ "comm_scale:0,2=0.5" }));
    QVERIFY(row->parentWidget()->isVisibleTo(&panel));
    QCOMPARE(row->value(), std::optional(0.5));
}

void TestWhatIfPanel::settingsThatTheTraceDoesNotSupportAreDisabledAndSayWhy()
{
    WhatIfPanel panel(nullptr);
    SettingRow *bucket = rowTitled(panel, QStringLiteral("Bucket size"));
    SettingRow *latency = rowTitled(panel, QStringLiteral("Latency"));
    QCheckBox *chunks = boxTitled(panel, QStringLiteral("Chunk by chunk"));
    QVERIFY(bucket->isEnabled() && latency->isEnabled() && chunks->isEnabled());
    const QString help = chunks->toolTip();
    QVERIFY(!help.isEmpty());

    core::ChangeFacts facts;
    facts.obstacles = { { "bucket_cap_mb", "no rank shows a reduction." },
                        { "latency_us", "transfers are alike." },
                        { "expand", "there are no chunks to show." } };
    facts.obstacles.insert(facts.obstacles.begin(),
                           { "first_bucket_mb", "no rank shows a reduction." });
    panel.setFacts(facts);
    QVERIFY(!bucket->isEnabled() && !latency->isEnabled() && !chunks->isEnabled());
    QVERIFY(!bucket->isVisibleTo(&panel) && !chunks->isVisibleTo(&panel));
    QVERIFY(rowTitled(panel, QStringLiteral("Link bandwidth"))->isVisibleTo(&panel));
    QCOMPARE(bucket->toolTip(), toolTipParagraphs(QStringLiteral("no rank shows a reduction.")));
    // Folded at first; then each reason once, for all settings that have it.
    QVERIFY(!hasVisibleText(panel, QStringLiteral("there are no chunks to show.")));
    auto *unusable = panel.findChild<UnusableSettings *>();
    auto *head = unusable->findChild<QToolButton *>();
    QCOMPARE(head->text(), QStringLiteral("Not on this trace (4)"));
    head->click();
    for (const char *text : { "there are no chunks to show.", "no rank shows a reduction.",
                              "transfers are alike.", "Bucket size, First bucket" })
        QVERIFY(hasVisibleText(panel, QString::fromLatin1(text)));
    // What is set is seen, whoever set it.
    panel.setStrategy({ { "bucket_cap_mb", 5.0 } });
    QVERIFY(bucket->isVisibleTo(&panel) && !bucket->isEnabled());
    panel.setStrategy({});
    QVERIFY(!bucket->isVisibleTo(&panel));

    panel.setFacts({});
    QVERIFY(bucket->isEnabled() && latency->isEnabled() && chunks->isEnabled());
    QVERIFY(bucket->isVisibleTo(&panel) && !unusable->isVisibleTo(&panel));
    QCOMPARE(chunks->toolTip(), help);
}

/// A fast link's slider ended where it began, and counted 197 GB/s as 1574646 Mbit/s alone.
void TestWhatIfPanel::aFastLinkIsShownInGigabytes()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1 }, {}, { { "bandwidth_mbit", 1'600'000.0 } }));
    SettingRow *row = rowTitled(panel, QStringLiteral("Link bandwidth"));
    auto *number = row->findChild<QDoubleSpinBox *>();
    const auto *slider = row->findChild<QSlider *>();
    QCOMPARE(number->text(), QStringLiteral("200.00 GB/s"));
    QVERIFY(slider->value() > slider->maximum() / 4 && slider->value() < slider->maximum() * 4 / 5);
    number->setValue(400);
    QCOMPARE(panel.strategy().number("bandwidth_mbit"), std::optional(3'200'000.0));
    // Beyond the slider's end, a number can be typed.
    number->setValue(5000);
    QCOMPARE(panel.strategy().number("bandwidth_mbit"), std::optional(40'000'000.0));
    QCOMPARE(slider->value(), slider->maximum());
    QCOMPARE(plainSlashes(recordedText(*core::traitsOf("bandwidth_mbit"), 1'600'000)),
             QStringLiteral("200 GB/s (1600000 Mbit/s)"));
}

/// "Predicting..." appeared above the settings, so each click moved them away from the mouse.
void TestWhatIfPanel::whatIsSaidOfAPredictionMovesNoSetting()
{
    WhatIfPanel panel(nullptr);
    panel.resize(300, 500);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const SettingRow *row = rowTitled(panel, QStringLiteral("Bucket size"));
    const auto place = [&] { return QRect(row->mapTo(&panel, QPoint()), row->size()); };
    const QRect before = place();
    panel.showStatus(QStringLiteral("Trust in this what-if: fair. ").repeated(5), false);
    QCoreApplication::sendPostedEvents();
    QVERIFY(hasVisibleText(panel, QStringLiteral("Trust in this what-if")));
    QCOMPARE(place(), before);
}

/// Who scrolled to a setting below changed those that came under the pointer on the way. What a
/// control leaves goes on to what scrolls.
void TestWhatIfPanel::theWheelScrollsAndSetsNothing()
{
    WhatIfPanel panel(nullptr);
    panel.setUsable(true);
    panel.resize(300, 400);
    panel.show();
    panel.activateWindow();
    const QSignalSpy changes(&panel, &WhatIfPanel::strategyChanged);
    const auto takesTurn = [](QWidget &control) {
        const QPointF at = QRectF(control.rect()).center();
        QWheelEvent turn(at, control.mapToGlobal(at), {}, { 0, -120 }, Qt::NoButton, Qt::NoModifier,
                         Qt::NoScrollPhase, false);
        QApplication::sendEvent(&control, &turn);
        return turn.isAccepted();
    };
    SettingRow *row = rowTitled(panel, QStringLiteral("Bucket size"));
    auto *number = row->findChild<QDoubleSpinBox *>();
    const QList<QWidget *> controls { number, row->findChild<QSlider *>(),
                                      panel.findChild<QComboBox *>() };
    for (QWidget *control : controls) {
        QVERIFY(control->isEnabled() && !control->hasFocus());
        QVERIFY((control->focusPolicy() & Qt::WheelFocus) != Qt::WheelFocus);
        QVERIFY(!takesTurn(*control));
    }
    QCOMPARE(changes.size(), 0);
    QVERIFY(!row->value().has_value());
    // The one that the user has chosen takes it.
    number->setFocus();
    QTRY_VERIFY(number->hasFocus());
    QVERIFY(takesTurn(*number));
    QVERIFY(row->value().has_value());
}

/// "Try it" set something below the edge of the panel, and nothing seemed to happen.
void TestWhatIfPanel::aSettingThatIsTriedIsScrolledToAndMarked()
{
    WhatIfPanel panel(nullptr);
    panel.setUsable(true);
    panel.resize(300, 400);
    const core::Strategy tried { { "host_overhead_scale", 0.0 } };
    panel.setStrategy(tried);
    panel.revealSettings(tried); // it is hidden
    panel.show();
    SettingRow *row = rowTitled(panel, QStringLiteral("Host overhead"));
    const auto isSeen = [row, &panel] {
        const QRect seen(row->mapTo(&panel, QPoint()), row->size());
        return panel.rect().contains(seen) && !row->visibleRegion().isEmpty();
    };
    const auto mark
        = [&panel] { return panel.findChild<QWidget *>(QStringLiteral("passingMark")); };
    QTRY_VERIFY(mark() != nullptr);
    QVERIFY(isSeen());
    QVERIFY(mark()->geometry().contains(row->geometry()));
    QVERIFY(mark()->testAttribute(Qt::WA_TransparentForMouseEvents));
    panel.revealSettings({});
    panel.revealSettings({ { "bucket_cap_mb", 5.0 } }); // while it is shown
    QTRY_VERIFY(!isSeen());
}

/// In German a bucket had 25,0 MiB beside figures of 14.00 MiB, and 0.5 was taken for 5.
void TestWhatIfPanel::numbersHaveAPointInEveryLanguage()
{
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    WhatIfPanel panel(nullptr);
    panel.show();
    SettingRow *row = rowTitled(panel, QStringLiteral("Bucket size"));
    auto *number = row->findChild<QDoubleSpinBox *>();
    QCOMPARE(number->text(), QStringLiteral("25.0 MiB"));
    number->setFocus();
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("0.5"));
    QTest::keyClick(number, Qt::Key_Return);
    QLocale::setDefault(before);
    QCOMPARE(row->value(), std::optional(0.5));
}

/// The bucket size of a job with 25 MiB was to be guessed, and the rate of one rank's link.
void TestWhatIfPanel::whatWasRecordedStandsBesideTheFields()
{
    WhatIfPanel panel(nullptr);
    panel.setFacts(factsOf({ 0, 1 }));
    panel.setFacts(factsOf({ 0, 1 }, {},
                           { { "bucket_cap_mb", 10.0 },
                             { "bandwidth_mbit", 500.0, { 0 } },
                             { "bandwidth_mbit", 200.0, { 1 } } }));
    QVERIFY(hasVisibleText(panel, QStringLiteral("default is 25 MiB; recorded: 10 MiB")));
    QVERIFY(hasVisibleText(panel, QStringLiteral("link; recorded: 500 Mbit/s")));
    auto *link = rowTitled(panel, QStringLiteral("This rank's link"));
    link->parentWidget()->findChild<QComboBox *>()->setCurrentIndex(1);
    QVERIFY(hasVisibleText(panel, QStringLiteral("link; recorded: 200 Mbit/s")));
    // Switched on as it is, it changes nothing.
    auto *size = rowTitled(panel, QStringLiteral("Bucket size"));
    size->findChild<QCheckBox *>()->setChecked(true);
    QCOMPARE(panel.strategy().number("bucket_cap_mb"), std::optional(10.0));
    panel.setFacts(factsOf({ 0, 1 })); // of another project
    QVERIFY(!hasVisibleText(panel, QStringLiteral("recorded")));
}

/// In a low window the end of what was said of a prediction was cut.
void TestWhatIfPanel::aLongNoteScrolls()
{
    WhatIfPanel panel(nullptr);
    panel.resize(300, 400);
    panel.show();
    auto *note = panel.findChild<StatusNote *>();
    panel.showStatus(QStringLiteral("One line."), false);
    QCoreApplication::sendPostedEvents();
    const int height = note->height();
    QCOMPARE(note->verticalScrollBar()->maximum(), 0);
    panel.showStatus(QStringLiteral("A line of a few words. ").repeated(60), false);
    QTRY_VERIFY(note->verticalScrollBar()->maximum() > 0);
    QCOMPARE(note->height(), height);
    const QWidget *text = note->widget();
    QVERIFY(text->height() >= text->heightForWidth(text->width()));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestWhatIfPanel)
#include "tst_what_if_panel.moc"
