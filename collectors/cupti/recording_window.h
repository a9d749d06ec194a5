#pragma once

#include "collectors/cupti/settings.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace collectors {

/// Says whether anything is to be recorded just now. Iterations, signals and calls may come from
/// any thread (or a signal handler) and only leave a note; update() decides, in one thread.
class RecordingWindow
{
public:
    /// `nowNs` is of the clock that update() is told.
    RecordingWindow(const CuptiSettings &settings, std::int64_t nowNs);

    /// One more iteration begins; the first is number 0.
    void noteIteration() { m_iterations.fetch_add(1, std::memory_order_relaxed); }
    /// Begins, or ends if begun.
    void noteToggle() { m_toggles.fetch_add(1, std::memory_order_relaxed); }
    void noteOrder(bool open) { m_order.store(open ? 1 : 0, std::memory_order_relaxed); }

    /// Decides anew; true if it is to be recorded. Reads the control file.
    bool update(std::int64_t nowNs);
    /// Of the last update(). From any thread.
    bool isOpen() const { return m_isOpen.load(std::memory_order_relaxed); }
    /// Whether an iteration is one of those that LONGPOLE_EVERY selects. From any thread.
    bool isSelected() const;

private:
    bool hasPassed(const Moment &moment, std::int64_t sinceNs, std::int64_t sinceIteration,
                   std::int64_t nowNs) const;
    void takeOrders();

    const std::optional<Moment> m_start, m_stop, m_duration;
    const std::int64_t m_every;
    const std::string m_controlFile;
    const std::int64_t m_beginNs;
    bool m_isWanted; ///< by the orders that came, before LONGPOLE_EVERY
    bool m_hasStarted = false; ///< LONGPOLE_START has passed
    bool m_wasWanted = false; ///< at the last update()
    std::int64_t m_openedNs = 0, m_openedIteration = 0;
    std::string m_lastControl;
    std::uint64_t m_seenToggles = 0;
    std::atomic<std::int64_t> m_iterations { 0 }; ///< that have begun
    std::atomic<std::uint64_t> m_toggles { 0 };
    std::atomic<int> m_order { -1 };
    std::atomic<bool> m_isOpen { false };
};

} // namespace collectors
