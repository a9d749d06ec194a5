#include "ui/timeline/timeline_keys.h"

#include "ui/timeline/timeline_state.h"

#include <QKeyEvent>
#include <QTimerEvent>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    constexpr double FirstStepSeconds = 0.06;
    constexpr double ZoomPerSecond = 12; ///< factor
    constexpr double PanWidthsPerSecond = 1.6;
    constexpr double ScrollPxPerSecond = 1200;

    bool isMoveKey(int key)
    {
        switch (key) {
        case Qt::Key_W:
        case Qt::Key_A:
        case Qt::Key_S:
        case Qt::Key_D:
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
            return true;
        default:
            return false;
        }
    }

} // namespace

TimelineHeldKeys::TimelineHeldKeys(TimelineState &state, QObject *parent)
    : QObject(parent)
    , m_state(state)
{
}

bool TimelineHeldKeys::press(const QKeyEvent &event)
{
    const auto modifiers = event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
    if (!isMoveKey(event.key()) || modifiers != Qt::NoModifier) {
        return false;
    }
    if (!event.isAutoRepeat() && !m_down.contains(event.key())) {
        m_down.insert(event.key());
        move(event.key(), FirstStepSeconds);
        m_sinceMove.start();
        m_timer.start(16, Qt::PreciseTimer, this);
    }
    return true;
}

bool TimelineHeldKeys::release(const QKeyEvent &event)
{
    if (!isMoveKey(event.key())) {
        return false;
    }
    if (!event.isAutoRepeat()) {
        m_down.remove(event.key());
    }
    if (m_down.isEmpty()) {
        m_timer.stop();
    }
    return true;
}

void TimelineHeldKeys::releaseAll()
{
    m_down.clear();
    m_timer.stop();
}

void TimelineHeldKeys::timerEvent(QTimerEvent *)
{
    const double seconds = std::min(0.05, static_cast<double>(m_sinceMove.nsecsElapsed()) / 1e9);
    m_sinceMove.start();
    for (const int key : QSet<int>(m_down)) {
        move(key, seconds);
    }
}

void TimelineHeldKeys::move(int key, double seconds)
{
    const TimeAxis &axis = m_state.axis();
    const double middle
        = m_state.crosshairNs() ? axis.xOf(*m_state.crosshairNs()) : axis.widthPx / 2.0;
    const double zoom = std::pow(ZoomPerSecond, seconds);
    const double shift = axis.widthPx * PanWidthsPerSecond * seconds;
    const int lines = static_cast<int>(std::lround(ScrollPxPerSecond * seconds));
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_state.zoomAt(zoom, middle);
        break;
    case Qt::Key_S:
    case Qt::Key_Minus:
        m_state.zoomAt(1 / zoom, middle);
        break;
    case Qt::Key_A:
    case Qt::Key_Left:
        m_state.pan(-shift);
        break;
    case Qt::Key_D:
    case Qt::Key_Right:
        m_state.pan(shift);
        break;
    case Qt::Key_Up:
        m_state.setScrollY(m_state.scrollY() - lines);
        break;
    case Qt::Key_Down:
        m_state.setScrollY(m_state.scrollY() + lines);
        break;
    default:
        break;
    }
}

} // namespace ui
