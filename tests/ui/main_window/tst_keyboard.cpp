#include "core/pipeline/pipeline.h"
#include "ui/main_window/main_window.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/theme/theme.h"
#include "ui/widgets/screenshot_states.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace ui;

namespace {

constexpr int KeyboardTimeoutMs = 120'000;
constexpr int MostSteps = 600; ///< of Tab, until the first widget comes again

/// A part of another control, which has the focus for it.
bool isPart(const QWidget &widget)
{
    const QWidget *parent = widget.parentWidget();
    return qobject_cast<const QHeaderView *>(&widget) != nullptr
        || qobject_cast<const QScrollBar *>(&widget) != nullptr
        || qobject_cast<const QAbstractSpinBox *>(parent) != nullptr
        || qobject_cast<const QComboBox *>(parent) != nullptr
        || qobject_cast<const QLineEdit *>(parent) != nullptr
        || qobject_cast<const QHeaderView *>(parent) != nullptr
        || (qobject_cast<const QAbstractItemView *>(parent) != nullptr
            && qobject_cast<const QAbstractButton *>(&widget) != nullptr); // selects all
}

bool isControl(const QWidget &widget)
{
    const bool isOfQt = qobject_cast<const QAbstractButton *>(&widget) != nullptr
        || qobject_cast<const QAbstractItemView *>(&widget) != nullptr
        || qobject_cast<const QAbstractSlider *>(&widget) != nullptr
        || qobject_cast<const QAbstractSpinBox *>(&widget) != nullptr
        || qobject_cast<const QComboBox *>(&widget) != nullptr
        || qobject_cast<const QLineEdit *>(&widget) != nullptr
        || qobject_cast<const QPlainTextEdit *>(&widget) != nullptr;
    const bool isClickable = widget.testAttribute(Qt::WA_SetCursor)
        && widget.cursor().shape() == Qt::PointingHandCursor;
    return (isOfQt || isClickable) && !isPart(widget);
}

/// The widget with its surroundings, as the window shows it.
QImage shownImage(const QWidget &widget, QWidget &window)
{
    constexpr int Around = 2; ///< px
    const QRect place(widget.mapTo(&window, QPoint()), widget.size());
    return window.grab(place.adjusted(-Around, -Around, Around, Around)).toImage();
}

/// One of exclusive buttons stands for all: arrow keys go on from it.
bool isReachedByArrows(const QWidget &widget, const QSet<const QWidget *> &reached)
{
    const auto *button = qobject_cast<const QAbstractButton *>(&widget);
    if (button == nullptr || !button->autoExclusive())
        return false;
    const auto siblings = button->parentWidget()->findChildren<QAbstractButton *>(
        QString(), Qt::FindDirectChildrenOnly);
    for (const QAbstractButton *sibling : siblings)
        if (sibling->autoExclusive() && reached.contains(sibling))
            return true;
    return false;
}

QString nameOf(const QWidget &widget)
{
    const auto *button = qobject_cast<const QAbstractButton *>(&widget);
    const QString name
        = button != nullptr && !button->text().isEmpty() ? button->text() : widget.accessibleName();
    return QStringLiteral("%1 \"%2\" in %3")
        .arg(QLatin1String(widget.metaObject()->className()), name,
             QLatin1String(widget.parentWidget()->metaObject()->className()));
}

} // namespace

/// Tab goes to every control that can be clicked.
class TestKeyboard : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void tabReachesEveryControl_data();
    void tabReachesEveryControl();
    void backtabGoesBack_data() { tabReachesEveryControl_data(); }
    void backtabGoesBack();
    void aTextFieldUndoesItsOwnText();

private:
    QTemporaryDir m_folder;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<MainWindow> m_window;
};

void TestKeyboard::initTestCase()
{
    const QString project = m_folder.filePath(QStringLiteral("p.longpole"));
    core::importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                       project.toStdString(), {}, {});
    m_session = std::make_unique<Session>();
    m_window = std::make_unique<MainWindow>(*m_session, false);
    QApplication::setCursorFlashTime(0);
    applyTheme(*qApp, ThemeChoice::Light);
    m_window->resize(1280, 800);
    m_window->show();
    m_window->open({ project });
    m_session->predict({ { "bucket_cap_mb", 5.0 } });
    QTRY_VERIFY_WITH_TIMEOUT(m_session->prediction() != nullptr && m_session->isIdle(),
                             KeyboardTimeoutMs);
}

void TestKeyboard::tabReachesEveryControl_data()
{
    QTest::addColumn<QString>("id");
    const auto ids = m_window->workspaceIds();
    for (const QString &id : ids)
        QTest::newRow(qPrintable(id)) << id;
}

void TestKeyboard::tabReachesEveryControl()
{
    QFETCH(const QString, id);
    m_window->showWorkspace(id);
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QWidget *page = m_window->workspace(id);
    if (const auto *states = dynamic_cast<const ScreenshotStates *>(page))
        QTRY_VERIFY_WITH_TIMEOUT(states->isReadyForScreenshot(), KeyboardTimeoutMs);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab); // from where the page puts it
    QSet<const QWidget *> reached;
    QStringList missed;
    bool isThereAgain = false;
    for (int step = 0; step < MostSteps && !isThereAgain; ++step) {
        QWidget *focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr);
        isThereAgain = reached.contains(focus);
        reached.insert(focus);
        QCoreApplication::processEvents();
        const QImage before = shownImage(*focus, *m_window);
        QTest::keyClick(focus, Qt::Key_Tab);
        QCoreApplication::processEvents();
        if (focus != page && page->isAncestorOf(focus) && before == shownImage(*focus, *m_window))
            missed << QStringLiteral("no frame: ") + nameOf(*focus);
    }
    const auto all = page->findChildren<QWidget *>();
    for (const QWidget *widget : all)
        if (isControl(*widget) && widget->isVisible() && widget->isEnabled()
            && !reached.contains(widget) && !isReachedByArrows(*widget, reached))
            missed << nameOf(*widget);
    QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u'\n')));
    QVERIFY(reached.size() > 1);
}

/// A page that hands the focus on to a part of it held it there.
void TestKeyboard::backtabGoesBack()
{
    QFETCH(const QString, id);
    m_window->showWorkspace(id);
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    const QWidget *page = m_window->workspace(id);
    for (int step = 0; step < MostSteps; ++step) {
        QWidget *focus = QApplication::focusWidget();
        QVERIFY(focus != nullptr);
        if (!page->isAncestorOf(focus) && focus != page)
            return;
        QTest::keyClick(focus, Qt::Key_Backtab, Qt::ShiftModifier);
    }
    QFAIL("It never left the page.");
}

/// Ctrl+Z is of the text as long as the field has the focus.
void TestKeyboard::aTextFieldUndoesItsOwnText()
{
    m_window->showWorkspace(QStringLiteral("ops"));
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    auto *field = m_window->workspace(QStringLiteral("ops"))->findChild<QLineEdit *>();
    QVERIFY(field != nullptr);
    QUndoStack &stack = m_session->history().stack();
    stack.push(new QUndoCommand(QStringLiteral("a change")));
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("abc"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(field->text().isEmpty());
    QCOMPARE(stack.undoText(), QStringLiteral("a change"));
    m_window->showWorkspace(QStringLiteral("summary"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(stack.redoText(), QStringLiteral("a change"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestKeyboard)
#include "tst_keyboard.moc"
