#pragma once

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QObject>
#include <QSet>

class QKeyEvent;

namespace ui {

class TimelineState;

/// Zooms and pans while W, S, A, D or an arrow is held: a step at once, then evenly with time. The
/// timer runs only while a key is down.
class TimelineHeldKeys : public QObject
{
    Q_OBJECT

public:
    explicit TimelineHeldKeys(TimelineState &state, QObject *parent = nullptr);

    bool press(const QKeyEvent &event); ///< true if the key is one of ours
    bool release(const QKeyEvent &event);
    void releaseAll();

protected:
    void timerEvent(QTimerEvent *event) override;

private:
    void move(int key, double seconds);

    TimelineState &m_state;
    QSet<int> m_down;
    QBasicTimer m_timer;
    QElapsedTimer m_sinceMove;
};

} // namespace ui
