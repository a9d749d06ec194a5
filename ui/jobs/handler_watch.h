#pragma once

#include <QEvent>
#include <QLatin1StringView>
#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <vector>

namespace ui {

/// An event handler of the GUI thread that took longer than the limit.
struct SlowHandler
{
    QString receiver; ///< its class, and its object's name where it has one
    QString event; ///< "Paint"
    double cpuMs = 0; ///< processor time of the thread
    double wallMs = 0;
    double limitMs = 0;
};

/// "TimelineBody handled Paint in 61 ms of processor time (70 ms passed); the limit is 50 ms."
QString slowHandlerText(const SlowHandler &slow);

/// How much longer a handler takes in this build on this machine than in a release build on the
/// machine that the limit is meant for; at least 1. Measured with a fixed loop at the first call.
double handlerTimeFactor();

/// LONGPOLE_HANDLER_LIMIT_MS, else HandlerWatch::LimitMs times handlerTimeFactor().
double handlerLimitMs();

/// Name of the timer that takes the pictures of --screenshot. The watch leaves it out: its handler
/// renders a whole window at once for a command, and nobody works in that window.
inline constexpr QLatin1StringView ScreenshotTimerName { "screenshotTimer" };

/// Measures how long the GUI thread is in each event handler. What a handler sends is a part of it;
/// what a nested event loop handles, and input that arrives meanwhile, is counted for itself.
class HandlerWatch
{
public:
    struct Clocks
    {
        std::function<std::int64_t()> cpuNs; ///< of the calling thread
        std::function<std::int64_t()> wallNs;
    };
    using Report = std::function<void(const SlowHandler &)>;

    /// 50 ms: what a person does not yet feel as a stop.
    static constexpr double LimitMs = 50;

    HandlerWatch(double limitMs, Report report);
    HandlerWatch(double limitMs, Report report, Clocks clocks);

    /// Stands for a handler while it runs. The receiver may be deleted meanwhile.
    class Running
    {
    public:
        Running(HandlerWatch &watch, const QObject &receiver, const QEvent &event, int loopLevel);
        ~Running();
        Running(const Running &) = delete;
        Running &operator=(const Running &) = delete;

    private:
        HandlerWatch &m_watch;
        bool m_isCounted;
    };

private:
    struct Frame
    {
        const char *className = nullptr;
        QString name;
        QEvent::Type type = QEvent::None;
        int loopLevel = 0;
        std::int64_t cpuNs = 0; ///< at its begin, later by what others took meanwhile
        std::int64_t wallNs = 0;
    };
    bool begin(const QObject &receiver, const QEvent &event, int loopLevel);
    void end();

    double m_limitMs;
    Report m_report;
    Clocks m_clocks;
    std::vector<Frame> m_frames; ///< outermost first
};

} // namespace ui
