#include "core/analyze/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "ui/timeline_sources/project_timeline_source.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// On the sample: two ranks that train over a slow link.
class TestDiagnosisMarks : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theCriticalPathIsFoundInTheProject();
    void aSourceShowsTheStepsAsTheProjectHasThem();
    void aSourceThatKeepsOtherTracksDoesNotShowThem();
    void withoutAReplayThereAreOnlyWaits();
    void recalledFindingsHaveTheWaitsOfCollectives();
    void messagesWaitToo();

private:
    std::filesystem::path project() const
    {
        return m_folder.filePath(QStringLiteral("sample.longpole")).toStdString();
    }

    QTemporaryDir m_folder;
    core::Diagnosis m_diagnosis;
    std::shared_ptr<const DiagnosisMarks> m_marks;
};

void TestDiagnosisMarks::initTestCase()
{
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project(),
                       {}, {});
    const core::LoadedProject loaded = core::loadProject(project(), {});
    m_diagnosis = core::diagnose(*loaded.trace, loaded.graph, {});
    m_marks = marksOf(m_diagnosis, project(), {});
}

void TestDiagnosisMarks::theCriticalPathIsFoundInTheProject()
{
    QVERIFY(m_marks->criticalPath.size() > 100);
    QVERIFY(!m_marks->waitNs.empty());
    for (const std::uint64_t id : m_marks->criticalPath)
        QVERIFY(m_marks->steps.contains(id));
}

void TestDiagnosisMarks::aSourceShowsTheStepsAsTheProjectHasThem()
{
    const ProjectTimelineSource plain(project());
    ProjectTimelineSource marked(project());
    QVERIFY(plain.criticalPath().empty());
    marked.setMarks(m_marks);
    QCOMPARE(marked.criticalPath(), m_marks->criticalPath);
    for (const std::uint64_t id : m_marks->criticalPath) {
        const auto read = plain.find(id);
        const auto step = marked.find(id);
        QVERIFY(read && step);
        QCOMPARE(step->first, read->first);
        QCOMPARE(step->second.id, id);
        QCOMPARE(step->second.startNs, read->second.startNs);
        QCOMPARE(step->second.endNs, read->second.endNs);
        QCOMPARE(step->second.depth, read->second.depth);
        QVERIFY(step->second.role == read->second.role);
    }
    for (const auto &[id, waitNs] : m_marks->waitNs)
        QCOMPARE(marked.find(id)->second.waitNs, waitNs);
}

void TestDiagnosisMarks::aSourceThatKeepsOtherTracksDoesNotShowThem()
{
    ProjectTimelineSource source(project());
    source.setMarks(m_marks);
    source.keepTracks({});
    QVERIFY(!source.find(m_marks->criticalPath.front()));
}

void TestDiagnosisMarks::withoutAReplayThereAreOnlyWaits()
{
    core::Diagnosis diagnosis = m_diagnosis;
    diagnosis.selfReplay.graph.reset();
    const auto marks = marksOf(diagnosis, project(), {});
    QVERIFY(marks->criticalPath.empty());
    QVERIFY(marks->steps.empty());
    QCOMPARE(marks->waitNs.size(), m_marks->waitNs.size());
}

/// A pull from a parameter server was drawn as a transfer while the server waited for a push.
void TestDiagnosisMarks::recalledFindingsHaveTheWaitsOfCollectives()
{
    core::Diagnosis recalled = m_diagnosis;
    recalled.transfers.clear();
    recalled.selfReplay.graph.reset();
    const auto marks = marksOf(recalled, project(), {});
    QVERIFY(!marks->waitNs.empty());
    for (const auto &[slice, waitNs] : marks->waitNs) {
        const auto measured = m_marks->waitNs.find(slice);
        QVERIFY(measured != m_marks->waitNs.end());
        QCOMPARE(waitNs, measured->second);
    }
}

void TestDiagnosisMarks::messagesWaitToo()
{
    core::Diagnosis diagnosis;
    diagnosis.transfers[7] = { 50'000, 60'000, 50'000, {} };
    diagnosis.transfers[8] = { 0, 10'000, 0, {} };
    const auto marks = marksOf(diagnosis, project(), {});
    QCOMPARE(marks->waitNs.size(), std::size_t { 1 });
    QCOMPARE(marks->waitNs.at(7), std::int64_t { 50'000 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestDiagnosisMarks)
#include "tst_diagnosis_marks.moc"
