#include "ui/session/project_history.h"
#include "ui/session/session.h"
#include "ui/views/compare/what_if_history.h"
#include "ui/views/compare/what_if_panel.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

/// Settings of a what-if are undone one after the other, a number that is moved on as a whole.
class TestWhatIfHistory : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_panel = std::make_unique<WhatIfPanel>(nullptr);
        m_history = std::make_unique<WhatIfHistory>(*m_session, *m_panel, nullptr);
    }
    void cleanup() { m_history.reset(); }
    void aSliderThatIsMovedOnIsOneChange();
    void anotherSettingIsAnotherChange();
    void severalAtOnceAreOneChange();
    void whatIsBackAgainIsNoChange();
    void aNewStartIsNoChange();

private:
    QUndoStack &stack() const { return m_session->history().stack(); }
    void set(const core::Strategy &strategy)
    {
        m_panel->setStrategy(strategy);
        emit m_panel->strategyChanged();
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<WhatIfPanel> m_panel;
    std::unique_ptr<WhatIfHistory> m_history;
};

void TestWhatIfHistory::aSliderThatIsMovedOnIsOneChange()
{
    const QSignalSpy restored(m_history.get(), &WhatIfHistory::restored);
    for (const double scale : { 2.0, 3.0, 4.0 })
        set({ { "bandwidth_scale", scale } });
    QCOMPARE(stack().count(), 1);
    QVERIFY(!stack().undoText().isEmpty());
    stack().undo();
    QVERIFY(m_panel->strategy().isEmpty());
    QCOMPARE(restored.count(), 1);
    stack().redo();
    QVERIFY(m_panel->strategy() == (core::Strategy { { "bandwidth_scale", 4.0 } }));
}

void TestWhatIfHistory::anotherSettingIsAnotherChange()
{
    set({ { "bandwidth_scale", 2.0 } });
    set({ { "bandwidth_scale", 2.0 }, { "compute_scale", 0.5 } });
    set({ { "compute_scale", 0.5 } }); // switched off
    set({ { "bandwidth_scale", 2.0 }, { "compute_scale", 0.5 } }); // and on again
    QCOMPARE(stack().count(), 4);
    stack().setIndex(1);
    QVERIFY(m_panel->strategy() == (core::Strategy { { "bandwidth_scale", 2.0 } }));
}

void TestWhatIfHistory::severalAtOnceAreOneChange()
{
    set({ { "bandwidth_scale", 2.0 }, { "compute_scale", 0.5 } });
    QCOMPARE(stack().undoText(), QStringLiteral("What-if settings"));
    set({});
    QCOMPARE(stack().undoText(), QStringLiteral("Reset to measured"));
    QCOMPARE(stack().count(), 2);
}

void TestWhatIfHistory::whatIsBackAgainIsNoChange()
{
    set({ { "compute_scale", 0.5 }, { "bandwidth_scale", 2.0 } });
    set({ { "compute_scale", 0.5 }, { "bandwidth_scale", 3.0 } });
    set({ { "compute_scale", 0.5 }, { "bandwidth_scale", 2.0 } });
    QCOMPARE(stack().count(), 1);
}

void TestWhatIfHistory::aNewStartIsNoChange()
{
    m_panel->setStrategy({ { "compute_scale", 0.5 } });
    m_history->restart();
    emit m_panel->strategyChanged();
    QCOMPARE(stack().count(), 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestWhatIfHistory)
#include "tst_what_if_history.moc"
