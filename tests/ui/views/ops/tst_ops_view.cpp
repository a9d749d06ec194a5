#include "core/pipeline/pipeline.h"
#include "ui/session/session.h"
#include "ui/views/ops/ops_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 60'000;

} // namespace

/// On the sample of two ranks.
class TestOpsView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void theTableComesWithTheAnalysis();
    void aRankOrAnIterationIsCountedAnew();
    void inputShapesAreToldApartWhenAsked();
    void aRowLeadsToTheTimeline();
    void aClosedProjectHasNone();

private:
    int rows() const { return m_view->findChild<QTableView *>()->model()->rowCount(); }
    QComboBox &combo(const QString &name) const
    {
        for (QComboBox *one : m_view->findChildren<QComboBox *>())
            if (one->accessibleName() == name)
                return *one;
        qFatal("no combo box %s", qPrintable(name));
    }

    QTemporaryDir m_folder;
    Session m_session;
    std::unique_ptr<OpsView> m_view;
};

void TestOpsView::initTestCase()
{
    const std::filesystem::path sample
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    const QString project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ sample }, project.toStdString(), {}, {});
    m_session.openProject(project);
    m_view = std::make_unique<OpsView>(m_session, nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(m_session.diagnosis() != nullptr, timeoutMs);
}

void TestOpsView::theTableComesWithTheAnalysis()
{
    QCOMPARE(rows(), 0); // nothing is counted before the page is seen
    m_view->show();
    QTRY_VERIFY_WITH_TIMEOUT(rows() > 10, timeoutMs);
    QCOMPARE(combo(QStringLiteral("Rank")).count(), 3);
    QVERIFY(combo(QStringLiteral("Iteration")).count() > 2);
}

void TestOpsView::aRankOrAnIterationIsCountedAnew()
{
    const auto *table = m_view->findChild<QTableView *>();
    const auto ownNs = [table] {
        return table->model()->index(0, OpsModel::OwnColumn).data(OpsModel::SortRole).toLongLong();
    };
    const qlonglong allNs = ownNs();
    combo(QStringLiteral("Rank")).setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(ownNs() < allNs && m_view->isReadyForScreenshot(), timeoutMs);
    const qlonglong rankNs = ownNs();
    combo(QStringLiteral("Iteration")).setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(ownNs() < rankNs && m_view->isReadyForScreenshot(), timeoutMs);
}

void TestOpsView::inputShapesAreToldApartWhenAsked()
{
    const auto *table = m_view->findChild<QTableView *>();
    auto *byShapes = m_view->findChild<QCheckBox *>();
    const int names = rows();
    QVERIFY(table->isColumnHidden(OpsModel::ShapesColumn));
    QVERIFY(!table->isColumnHidden(OpsModel::BusColumn)); // the sample has sizes
    byShapes->click();
    QTRY_VERIFY_WITH_TIMEOUT(rows() > names && m_view->isReadyForScreenshot(), timeoutMs);
    QVERIFY(!table->isColumnHidden(OpsModel::ShapesColumn));
    byShapes->click();
    QTRY_VERIFY_WITH_TIMEOUT(rows() == names && m_view->isReadyForScreenshot(), timeoutMs);
    QVERIFY(table->isColumnHidden(OpsModel::ShapesColumn));
}

void TestOpsView::aRowLeadsToTheTimeline()
{
    const QSignalSpy revealed(&m_session, &Session::revealRequested);
    const QSignalSpy found(&m_session, &Session::findRequested);
    auto *table = m_view->findChild<QTableView *>();
    table->setCurrentIndex(table->model()->index(0, 0));
    emit table->activated(table->currentIndex());
    QCOMPARE(revealed.size(), 1);
    for (QPushButton *button : m_view->findChildren<QPushButton *>())
        if (button->text() == QStringLiteral("Find in the timeline"))
            button->click();
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front()[0].toString(), u'"' + table->currentIndex().data().toString() + u'"');
}

void TestOpsView::aClosedProjectHasNone()
{
    m_session.closeProject();
    QCOMPARE(rows(), 0);
    QCOMPARE(combo(QStringLiteral("Rank")).count(), 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestOpsView)
#include "tst_ops_view.moc"
