#include "ui/jobs/handler_watch.h"

#include <QInputEvent>
#include <QMetaEnum>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <unordered_map>
#include <utility>

namespace ui {

namespace {

    constexpr double NsPerMs = 1e6;

    std::int64_t threadCpuNs()
    {
        timespec now {};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return std::int64_t { now.tv_sec } * 1'000'000'000 + now.tv_nsec;
    }

    std::int64_t passedNs()
    {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    }

    /// Does what handlers do: texts, containers, sorting, sums.
    std::size_t calibrationWork()
    {
        constexpr int Texts = 3000;
        std::vector<std::string> texts;
        texts.reserve(Texts);
        std::unordered_map<std::string, std::size_t> lengths;
        for (int i = 0; i < Texts; ++i) {
            texts.push_back("kernel " + std::to_string(i * 7919 % Texts));
            lengths[texts.back()] += texts.back().size();
        }
        std::ranges::sort(texts);
        std::size_t sum = 0;
        for (const std::string &text : texts)
            sum += lengths[text] * text.size();
        return sum;
    }

    QString eventName(QEvent::Type type)
    {
        const char *key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
        return key != nullptr ? QString::fromLatin1(key) : QString::number(int(type));
    }

} // namespace

QString slowHandlerText(const SlowHandler &slow)
{
    return QStringLiteral("%1 handled %2 in %3 ms of processor time (%4 ms passed); the limit is "
                          "%5 ms.")
        .arg(slow.receiver, slow.event, QString::number(slow.cpuMs, 'f', 0),
             QString::number(slow.wallMs, 'f', 0), QString::number(slow.limitMs, 'f', 0));
}

double handlerTimeFactor()
{
    static const double factor = [] {
        // The least of calibrationWork() in the release preset, g++ 12 -O3 on an EPYC at 2.6 GHz.
        // Of -O0 it is 4.85 ms, of -O1 with address and undefined sanitizers 2.0 ms.
        constexpr double ReleaseMs = 0.56;
        // Handlers that open a project of 64 ranks and paint its views took 1.3 to 3.5 times as
        // long with -O0 (UpdateRequest 83 ms for 24 ms): most of their time is Qt's, which is the
        // same in all builds. So much of the loop's ratio counts.
        constexpr double OwnShare = 0.32;
        constexpr int Turns = 7;
        std::int64_t leastNs = INT64_MAX;
        std::size_t sum = 0;
        for (int i = 0; i < Turns; ++i) {
            const std::int64_t begin = threadCpuNs();
            sum += calibrationWork();
            leastNs = std::min(leastNs, threadCpuNs() - begin);
        }
        const double ratio = double(leastNs) / NsPerMs / ReleaseMs;
        return sum == 0 ? 1.0 : std::max(1.0, 1 + OwnShare * (ratio - 1));
    }();
    return factor;
}

double handlerLimitMs()
{
    bool isNumber = false;
    const double given = qEnvironmentVariable("LONGPOLE_HANDLER_LIMIT_MS").toDouble(&isNumber);
    return isNumber ? given : HandlerWatch::LimitMs * handlerTimeFactor();
}

HandlerWatch::HandlerWatch(double limitMs, Report report)
    : HandlerWatch(limitMs, std::move(report), { threadCpuNs, passedNs })
{
}

HandlerWatch::HandlerWatch(double limitMs, Report report, Clocks clocks)
    : m_limitMs(limitMs)
    , m_report(std::move(report))
    , m_clocks(std::move(clocks))
{
}

HandlerWatch::Running::Running(HandlerWatch &watch, const QObject &receiver, const QEvent &event,
                               int loopLevel)
    : m_watch(watch)
    , m_isCounted(watch.begin(receiver, event, loopLevel))
{
}

HandlerWatch::Running::~Running()
{
    if (m_isCounted)
        m_watch.end();
}

bool HandlerWatch::begin(const QObject &receiver, const QEvent &event, int loopLevel)
{
    const bool isOwn = m_frames.empty() || loopLevel > m_frames.back().loopLevel
        || (event.isInputEvent() && event.spontaneous());
    if (!isOwn)
        return false;
    m_frames.push_back({ receiver.metaObject()->className(), receiver.objectName(), event.type(),
                         loopLevel, m_clocks.cpuNs(), m_clocks.wallNs() });
    return true;
}

void HandlerWatch::end()
{
    const Frame frame = std::move(m_frames.back());
    m_frames.pop_back();
    const std::int64_t cpuNs = m_clocks.cpuNs() - frame.cpuNs;
    const std::int64_t wallNs = m_clocks.wallNs() - frame.wallNs;
    if (!m_frames.empty()) {
        m_frames.back().cpuNs += cpuNs;
        m_frames.back().wallNs += wallNs;
    }
    const double cpuMs = double(cpuNs) / NsPerMs;
    if (cpuMs <= m_limitMs || frame.name == ScreenshotTimerName)
        return;
    QString receiver = QString::fromLatin1(frame.className);
    if (!frame.name.isEmpty())
        receiver += QStringLiteral(" '%1'").arg(frame.name);
    m_report({ receiver, eventName(frame.type), cpuMs, double(wallNs) / NsPerMs, m_limitMs });
}

} // namespace ui
