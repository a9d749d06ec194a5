#include "core/analyze/diagnosis.h"
#include "core/measure/job_metadata.h"
#include "core/pipeline/pipeline.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <string>

using namespace core;

/// On the bundled sample, which ran with buckets of 25 MiB: those of 5 and 10 MiB are the same
/// buckets, and those of 1 and 2 MiB are as good within the interval.
class BucketChoiceTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QTemporaryDir folder;
        const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
        importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {},
                     {});
        m_loaded = loadProject(project, {});
    }

    /// The smallest of equally good ones was advised; and what the panel said to be recorded was
    /// only "the present ones" where no meta.json stated it.
    void ofEquallyGoodSizesTheNearestIsAdvised_data()
    {
        QTest::addColumn<QByteArray>("metadata");
        QTest::addColumn<double>("adviceMb");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("present size is stated")
            << QByteArray() << 10.0 << QByteArray("10 MiB is nearest to the present size");
        QTest::newRow("its buckets tell it") << QByteArray(R"({"bandwidth_mbit": 500})") << 10.0
                                             << QByteArray("10 MiB is nearest to the present size");
    }

    void ofEquallyGoodSizesTheNearestIsAdvised()
    {
        QFETCH(const QByteArray, metadata);
        QFETCH(const double, adviceMb);
        QFETCH(const QByteArray, words);
        Trace trace = *m_loaded.trace;
        if (!metadata.isEmpty())
            trace.stated = statedJob({ { "meta.json", metadata.toStdString() } });
        const Diagnosis diagnosis = diagnose(trace, m_loaded.graph, {});
        const auto found = std::find_if(
            diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
            [](const Bottleneck &bottleneck) { return bottleneck.kind == "bucket-size"; });
        QVERIFY(found != diagnosis.bottlenecks.end());
        QVERIFY(found->strategy.number("bucket_cap_mb") == adviceMb);
        QVERIFY(found->title.find("instead of 25 MiB") != std::string::npos);
        const auto says = [&found](const std::string &text) {
            return std::any_of(
                found->evidence.begin(), found->evidence.end(),
                [&text](const std::string &line) { return line.find(text) != std::string::npos; });
        };
        QVERIFY(says("1, 2, 5 and 10 MiB are equally good"));
        QVERIFY(says(words.toStdString()));
        QVERIFY(found->advice.find("bucket_cap_mb=10") != std::string::npos);
    }

private:
    LoadedProject m_loaded;
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(BucketChoiceTest)
#include "tst_bucket_choice.moc"
