#pragma once

#include "core/base/diagnostics.h"
#include "core/import/chrome/chrome_event.h"
#include "core/import/text/damage_search.h"
#include "core/import/text/json_window.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace core {

/// Gets the events of a Chrome trace in the order of the file.
class ChromeEventConsumer
{
public:
    virtual ~ChromeEventConsumer() = default;
    /// `text` is the event as it stands in the file, from `offset` on. Both are valid for the call
    /// only.
    virtual void addEvent(const ChromeEvent &event, std::string_view text, std::uint64_t offset)
        = 0;
    /// Something in the list of events that is no object.
    virtual void addOther(std::uint64_t offset) = 0;
};

/// Reads the list of events and goes on after damage in it.
///
/// An event that makes no sense is left out; reading goes on at the next place from where a whole
/// event with a "ph" can be read. What was lost is counted in one diagnostic.
class ChromeEventList
{
public:
    /// The references must outlive the list.
    ChromeEventList(JsonWindow &window, ChromeEventConsumer &consumer, Diagnostics &diagnostics,
                    std::string file);

    /// From the opening bracket of the list to after its closing one. False if the file ends
    /// before, which is usual where the list is the whole file: writers that are killed leave it
    /// open, and some never close it.
    bool read(bool isWholeFile);
    /// Whether an event, and no object with a list of them, stands at the cursor.
    bool isAtEvent();
    /// From an event, or a comma before it, to after the list's closing bracket: of a file that
    /// begins within a list. Says so, and returns as read() of a whole file.
    bool readPiece();
    /// Whether the list was closed; else its end was reported.
    bool isClosed() const { return m_isClosed; }
    /// For text after the list that makes no sense: damage may have looked like the list's end.
    /// Reads on from the next whole event if there is one, as read(); false if there is none, with
    /// nothing reported.
    bool resume();
    /// Reports the damage of all reading.
    void finish();

private:
    bool readToEnd();
    bool readEvent();
    bool readOther();
    void noteCutText(std::uint64_t offset);
    bool skipDamage(const char *from, const char *cause);
    void noteDamage(const char *cause);
    bool findEventOrEnd();
    ScanResult tryEvent();
    bool isEndOfList(char previous);
    bool endInsideEvent();
    void endBetweenEvents(Severity severity);

    JsonWindow &m_window;
    ChromeEventConsumer &m_consumer;
    Diagnostics &m_diagnostics;
    std::string m_file;
    DamageSearch m_search;
    ChromeEvent m_event;
    bool m_isClosed = true;
    bool m_isWholeFile = false; ///< the list is; else a member of an object
    std::uint64_t m_damageCount = 0;
    std::uint64_t m_damageBytes = 0;
    std::uint64_t m_firstDamage = 0;
    std::string m_firstCause;
};

} // namespace core
