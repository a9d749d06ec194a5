#include "core/pipeline/pipeline.h"
#include "ui/session/session.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/compare/result_header.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// On the sample of two ranks.
class TestCompareView : public QObject
{
    Q_OBJECT

private slots:
    void theHeaderSaysWhyThereIsNoResult();
};

/// It said that the graph was being built without a project, and after that was cancelled.
void TestCompareView::theHeaderSaysWhyThereIsNoResult()
{
    const QTemporaryDir folder;
    const QString project = folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       project.toStdString(), {}, {});
    Session session;
    const CompareView view(session, nullptr);
    const auto &header = *view.findChild<ResultHeader *>();
    QCOMPARE(header.accessibleDescription(), QString());
    session.openProject(project);
    // No event has been handled since: no job can have delivered.
    QVERIFY(header.accessibleDescription().contains(QStringLiteral("is being built")));
    session.cancelJob(QStringLiteral("load"));
    QVERIFY(!session.analysisError().isEmpty());
    QCOMPARE(header.accessibleDescription(), session.analysisError());
}

QTEST_MAIN(TestCompareView)
#include "tst_compare_view.moc"
