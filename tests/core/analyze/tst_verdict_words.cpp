// Heads of the Summary and `longpole diagnose` of real traces of several ranks: short sentences,
// whose number is the one of the list below. Skipped where the shared traces are absent.

#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis.h"
#include "core/analyze/summary_data.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/change/change_list.h"
#include "core/measure/parts.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/predictor.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace core;

namespace {

constexpr qsizetype MostVerdictWords = 15;
constexpr qsizetype MostWords = 25;

/// The sentence of the most words; one ends with a full stop and a space.
QString longestSentence(const std::string &text)
{
    QString longest;
    for (const QString &sentence : QString::fromStdString(text).split(QStringLiteral(". ")))
        if (sentence.count(QLatin1Char(' ')) > longest.count(QLatin1Char(' ')))
            longest = sentence;
    return longest;
}

qsizetype wordsOf(const QString &sentence)
{
    return sentence.split(QLatin1Char(' '), Qt::SkipEmptyParts).size();
}

/// All sentences above the list and those of its rows that are shown at first.
std::vector<std::string> firstSentences(const Diagnosis &diagnosis)
{
    std::vector<std::string> texts = diagnosis.verdictRemarks;
    texts.insert(texts.end(), diagnosis.blindSpots.begin(), diagnosis.blindSpots.end());
    for (const Bottleneck &found : diagnosis.bottlenecks) {
        texts.push_back(found.title);
        texts.push_back(found.reason);
        texts.emplace_back(firstSentence(found.advice));
    }
    return texts;
}

/// A finding says what its figure has to do with the tile beside it, and its advice is one that
/// Compare can try.
void checkWords(const Bottleneck &found, const Diagnosis &diagnosis)
{
    if (found.advice.find("bucket") != std::string::npos && found.kind != "bucket-size") {
        const ChangeObstacles obstacles = diagnosis.predictor->obstacles();
        QCOMPARE(found.advice.find("cannot be tried") != std::string::npos,
                 obstacleOf(obstacles, "bucket_cap_mb") != nullptr);
    }
    if (!found.strategy.isEmpty())
        QVERIFY2(found.predictedNs < diagnosis.selfReplay.predictedNs, found.title.c_str());
    if (found.kind != "exposed-communication")
        return;
    const PartTimes parts = summarize(diagnosis).parts;
    const double exposed
        = static_cast<double>(parts.exposedCommNs) / static_cast<double>(wholeNs(parts));
    if (parts.computeNs > 0 && std::abs(found.gainFraction - exposed) >= 0.02)
        QVERIFY2(found.reason.starts_with(percentText(exposed) + " of "), found.reason.c_str());
    // Waiting for a late rank was said to run beside other work.
    const double waiting = static_cast<double>(parts.exposedWaitNs.value_or(0))
        / static_cast<double>(wholeNs(parts));
    if (parts.computeNs > 0 && exposed - found.gainFraction >= 0.02)
        QCOMPARE(found.reason.find(" waiting for other ranks") != std::string::npos,
                 2 * waiting >= exposed - found.gainFraction);
}

/// The share that the Summary's figure of that name shows.
double exposedShare(const Diagnosis &diagnosis)
{
    const PartTimes parts = summarize(diagnosis).parts;
    return static_cast<double>(parts.exposedCommNs) / static_cast<double>(wholeNs(parts));
}

} // namespace

class VerdictWordsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatHeadsThePageIsShortAndAgrees_data();
    void whatHeadsThePageIsShortAndAgrees();

private:
    QTemporaryDir m_folder;
};

void VerdictWordsTest::initTestCase()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
}

void VerdictWordsTest::whatHeadsThePageIsShortAndAgrees_data()
{
    QTest::addColumn<QString>("folder");
    for (const char *folder :
         { "real/megatron-tp8", "real/torchrec/sst_long_a2a_optimizer",
           "real/torchrec/sst_long_a2a_optimizer_2-first",
           "real/torchrec/sst_long_a2a_optimizer_2-second",
           "real/torchrec/sst_long_a2a_optimizer_3", "real/torchrec/sst_long_a2a_optimizer_5",
           "real/torchrec/sst_long_a2a_optimizer_qcomm_trace", "real/torchrec/resnet18",
           "real/horovod/tf-logs", "real/byteps/traces", "real/hta/trace_diff",
           "real/xprof/GPU-multi-worker", "testbed/vgg-w2-500mbit-b25",
           "testbed/emuvgg-w4-500mbit-b25-link2at200" })
        QTest::newRow(folder) << QString::fromLatin1(folder);
}

void VerdictWordsTest::whatHeadsThePageIsShortAndAgrees()
{
    QFETCH(QString, folder);
    const std::filesystem::path project = m_folder.filePath(QStringLiteral("p")).toStdString();
    std::filesystem::remove(project);
    importBundle({ *tests::sharedData() / "data" / folder.toStdString() }, project, {}, {});
    const LoadedProject loaded = loadProject(project, {});
    Diagnosis diagnosis = diagnose(*loaded.trace, loaded.graph, {});
    setGainIntervals(gainIntervals(diagnosis, {}), diagnosis);

    const QString verdict = QString::fromStdString(diagnosis.verdict);
    QVERIFY2(wordsOf(verdict) <= MostVerdictWords, qPrintable(verdict));
    for (const std::string &text : firstSentences(diagnosis))
        QVERIFY2(wordsOf(longestSentence(text)) <= MostWords, text.c_str());

    for (const Bottleneck &found : diagnosis.bottlenecks)
        checkWords(found, diagnosis);
    for (const std::string &text : diagnosis.rankRemarks) {
        const bool isSlower = diagnosis.stragglers.idealNs
            && *diagnosis.stragglers.idealNs * 100 >= diagnosis.selfReplay.predictedNs * 101;
        QVERIFY2(!isSlower || !diagnosis.stragglers.isWorkRecorded
                     || text.find("ideal_peers") == std::string::npos,
                 text.c_str());
    }
    const auto told
        = std::find_if(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                       [&](const Bottleneck &one) { return one.kind == diagnosis.verdictKind; });
    if (told == diagnosis.bottlenecks.end()) {
        QVERIFY2(diagnosis.verdictKind.empty(), diagnosis.verdictKind.c_str());
        return;
    }
    QCOMPARE(verdict, QString::fromStdString(told->cost + "."));
    if (told->kind != "slow-iterations")
        QVERIFY2(verdict.contains(QString::fromStdString(percentText(told->gainFraction))),
                 qPrintable(verdict));
    if (told->title == "Exposed communication")
        QVERIFY2(std::abs(told->gainFraction - exposedShare(diagnosis)) < 0.02,
                 qPrintable(verdict));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(VerdictWordsTest)
#include "tst_verdict_words.moc"
