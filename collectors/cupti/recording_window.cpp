#include "collectors/cupti/recording_window.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace collectors {

namespace {

    /// The first word of a small file; "" if there is none. A pipe in its place is not waited for.
    std::string firstWord(const std::string &path)
    {
        const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (file < 0)
            return {};
        std::array<char, 64> text {};
        const ssize_t size = read(file, text.data(), text.size());
        close(file);
        constexpr std::string_view Spaces = " \t\r\n\v\f";
        const std::string_view all(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
        const std::size_t begin = all.find_first_not_of(Spaces);
        if (begin == std::string_view::npos)
            return {};
        const std::size_t end = all.find_first_of(Spaces, begin);
        return std::string(all.substr(begin, end - begin)); // npos: to the end
    }

} // namespace

RecordingWindow::RecordingWindow(const CuptiSettings &settings, std::int64_t nowNs)
    : m_start(settings.start)
    , m_stop(settings.stop)
    , m_duration(settings.duration)
    , m_every(settings.every)
    , m_controlFile(settings.controlFile)
    , m_beginNs(nowNs)
    , m_isWanted(!settings.waitsForOrder() && !settings.start)
{
    update(nowNs);
}

bool RecordingWindow::hasPassed(const Moment &moment, std::int64_t sinceNs,
                                std::int64_t sinceIteration, std::int64_t nowNs) const
{
    if (moment.isIteration)
        return m_iterations.load(std::memory_order_relaxed) - sinceIteration > moment.value;
    return nowNs - sinceNs >= moment.value;
}

/// The last order counts, whoever gave it.
void RecordingWindow::takeOrders()
{
    const std::uint64_t toggles = m_toggles.load(std::memory_order_relaxed);
    if ((toggles - m_seenToggles) % 2 == 1)
        m_isWanted = !m_isWanted;
    m_seenToggles = toggles;
    if (const int order = m_order.exchange(-1, std::memory_order_relaxed); order >= 0)
        m_isWanted = order == 1;
    if (m_controlFile.empty())
        return;
    const std::string control = firstWord(m_controlFile);
    if (control != m_lastControl && (control == "start" || control == "stop"))
        m_isWanted = control == "start";
    m_lastControl = control;
}

bool RecordingWindow::isSelected() const
{
    const std::int64_t begun = m_iterations.load(std::memory_order_relaxed);
    return m_every == 1 || begun == 0 || (begun - 1) % m_every == 0;
}

bool RecordingWindow::update(std::int64_t nowNs)
{
    if (m_start && !m_hasStarted && hasPassed(*m_start, m_beginNs, 0, nowNs))
        m_isWanted = m_hasStarted = true;
    takeOrders();
    if (m_isWanted && !m_wasWanted) {
        m_openedNs = nowNs;
        // The iteration under way counts as the first.
        const std::int64_t begun = m_iterations.load(std::memory_order_relaxed);
        m_openedIteration = begun > 0 ? begun - 1 : 0;
    }
    if ((m_stop && hasPassed(*m_stop, m_beginNs, 0, nowNs))
        || (m_duration && hasPassed(*m_duration, m_openedNs, m_openedIteration, nowNs)))
        m_isWanted = false;
    m_wasWanted = m_isWanted;
    m_isOpen.store(m_isWanted && isSelected(), std::memory_order_relaxed);
    return isOpen();
}

} // namespace collectors
