#include "core/pipeline/pipeline.h"
#include "core/project/write/project_writer.h"
#include "core/sqlite/database.h"
#include "ui/main_window/main_window.h"
#include "ui/session/session.h"

#include <QApplication>
#include <QHelpEvent>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <array>
#include <memory>

using namespace ui;

/// Mouse and keys in no order: no project may make the window crash or hang.
class TestMonkey : public QObject
{
    Q_OBJECT

private slots:
    void everyProjectBearsMouseAndKeys_data();
    void everyProjectBearsMouseAndKeys();
};

namespace {

constexpr int timeoutMs = 120'000;
constexpr int actionsPerView = 250;

std::filesystem::path in(const QTemporaryDir &folder)
{
    return std::filesystem::path(folder.path().toStdString()) / "p.longpole";
}

/// A graph of a rank that nobody ran, as Chakra's feeder has.
void writeEmpty(const std::filesystem::path &project)
{
    core::CollectedFile file({ "rank0", "kineto", 1 });
    file.describeWorker(file.addWorker(), { 0, 1, "" });
    core::ProjectWriter writer(project, false);
    writer.add(file, [] { return std::optional<int>(); }, {});
    writer.finish();
}

void writeOneRank(const std::filesystem::path &project)
{
    core::importBundle(
        { LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25/rank0.pt.trace.json.gz" },
        project, {}, {});
}

/// Opens, but its slices cannot be read.
void writeDamaged(const std::filesystem::path &project)
{
    writeOneRank(project);
    core::Database db(project, core::OpenMode::ReadWrite);
    db.execute("UPDATE slice_hot SET data = substr(data, 2);"
               "UPDATE level_chunk SET data = substr(data, 2)");
}

/// Acts on a view; the same seed acts in the same way.
class Monkey
{
public:
    Monkey(QWidget &view, quint32 seed)
        : m_view(view)
        , m_random(seed)
    {
    }

    void act()
    {
        m_at = QPoint(below(m_view.width()), below(m_view.height()));
        QWidget *child = m_view.childAt(m_at);
        m_target = child == nullptr ? &m_view : child;
        m_at = m_target->mapFrom(&m_view, m_at);
        switch (below(6)) {
        case 0:
            return drag();
        case 1:
            return scroll();
        case 2:
            return QTest::mouseDClick(m_target, anyButton(), {}, m_at);
        case 3:
            return hover();
        case 4:
            return QTest::mouseClick(m_target, Qt::LeftButton, anyModifier(), m_at);
        default:
            return press();
        }
    }

private:
    int below(int limit) { return m_random.bounded(std::max(1, limit)); }
    Qt::MouseButton anyButton()
    {
        return below(4) == 0 ? Qt::MiddleButton : Qt::LeftButton; // menus block
    }
    Qt::KeyboardModifier anyModifier()
    {
        constexpr std::array modifiers { Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier,
                                         Qt::ControlModifier };
        return modifiers[static_cast<std::size_t>(below(modifiers.size()))];
    }
    QPoint anyPoint()
    {
        return { below(m_target->width() + 40) - 20, below(m_target->height() + 40) - 20 };
    }

    void drag()
    {
        const Qt::MouseButton button = anyButton();
        QTest::mousePress(m_target, button, {}, m_at);
        for (int i = 0; i < 4; ++i) {
            const QPointF to = anyPoint();
            QMouseEvent move(QEvent::MouseMove, to, m_target->mapToGlobal(to), Qt::NoButton, button,
                             Qt::NoModifier);
            QCoreApplication::sendEvent(m_target, &move);
            QCoreApplication::processEvents(); // paints
        }
        QTest::mouseRelease(m_target, button, {}, anyPoint());
    }
    void scroll()
    {
        const int delta = (below(2) == 0 ? 1 : -1) * 120 * (1 + below(10));
        QWheelEvent wheel(m_at, m_target->mapToGlobal(QPointF(m_at)), {}, { 0, delta },
                          Qt::NoButton, anyModifier(), Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(m_target, &wheel);
    }
    void hover()
    {
        QMouseEvent move(QEvent::MouseMove, m_at, m_target->mapToGlobal(QPointF(m_at)),
                         Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_target, &move);
        QHelpEvent help(QEvent::ToolTip, m_at, m_target->mapToGlobal(m_at));
        QCoreApplication::sendEvent(m_target, &help);
    }
    void press()
    {
        constexpr std::array keys { Qt::Key_W,
                                    Qt::Key_A,
                                    Qt::Key_S,
                                    Qt::Key_D,
                                    Qt::Key_F,
                                    Qt::Key_M,
                                    Qt::Key_R,
                                    Qt::Key_C,
                                    Qt::Key_Period,
                                    Qt::Key_Comma,
                                    Qt::Key_Left,
                                    Qt::Key_Right,
                                    Qt::Key_BracketLeft,
                                    Qt::Key_BracketRight,
                                    Qt::Key_Escape,
                                    Qt::Key_Home,
                                    Qt::Key_End,
                                    Qt::Key_Up,
                                    Qt::Key_Down,
                                    Qt::Key_Tab,
                                    Qt::Key_Slash,
                                    Qt::Key_Space,
                                    Qt::Key_PageUp,
                                    Qt::Key_PageDown,
                                    Qt::Key_5 };
        QWidget *focused = QApplication::focusWidget();
        QTest::keyClick(focused == nullptr ? m_target : focused,
                        keys[static_cast<std::size_t>(below(keys.size()))],
                        below(3) == 0 ? Qt::ShiftModifier : Qt::NoModifier);
    }

    QWidget &m_view;
    QRandomGenerator m_random;
    QWidget *m_target = nullptr;
    QPoint m_at;
};

/// What a click opened: a dialog would wait for a person.
void closeWhatIsOpen()
{
    if (QWidget *popup = QApplication::activePopupWidget())
        popup->close();
    if (QWidget *modal = QApplication::activeModalWidget())
        modal->close();
}

} // namespace

void TestMonkey::everyProjectBearsMouseAndKeys_data()
{
    QTest::addColumn<void (*)(const std::filesystem::path &)>("write");
    QTest::newRow("no tracks") << &writeEmpty;
    QTest::newRow("one rank") << &writeOneRank;
    QTest::newRow("damaged") << &writeDamaged;
}

/// A drag along the ruler of a project without tracks looked for the row of a track.
void TestMonkey::everyProjectBearsMouseAndKeys()
{
    using Write = void (*)(const std::filesystem::path &);
    QFETCH(Write, write);
    const QTemporaryDir folder;
    write(in(folder));
    Session session;
    MainWindow window(session, false);
    window.resize(1200, 800);
    window.show();
    QTimer closing;
    connect(&closing, &QTimer::timeout, this, closeWhatIsOpen);
    closing.start(20);
    session.openProject(QString::fromStdString(in(folder).string()));
    QTRY_VERIFY_WITH_TIMEOUT(session.isOpen(), timeoutMs);
    quint32 seed = 1;
    const QStringList ids = window.workspaceIds().mid(1); // the welcome page imports samples
    for (const QString &id : ids) {
        window.showWorkspace(id);
        QCoreApplication::processEvents();
        Monkey monkey(*window.workspace(id), seed++);
        for (int i = 0; i < actionsPerView; ++i) {
            monkey.act();
            QCoreApplication::processEvents();
        }
        closeWhatIsOpen();
        QVERIFY2(window.isVisible() && session.isOpen(), qPrintable(id));
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestMonkey)
#include "tst_monkey.moc"
