#pragma once

#include "core/import/json_window.h"
#include "core/import/kineto_event.h"
#include "core/import/kineto_translator.h"

#include <cstdint>
#include <string>

namespace core {

/// Reads the list of events and goes on after damage in it.
///
/// An event that makes no sense is left out; reading goes on at the next place from where a whole
/// event with a "ph" can be read. What was lost is counted in one diagnostic.
class KinetoEventList
{
public:
    /// The references must outlive the list.
    KinetoEventList(JsonWindow &window, KinetoTranslator &translator, Diagnostics &diagnostics,
                    std::string file);

    /// From the opening bracket of the list to after its closing one. False if the file ends
    /// before.
    bool read();

private:
    bool readEvent();
    bool readOther();
    bool skipDamage(const char *from, const char *cause);
    bool findEventOrEnd();
    bool isEndOfList(char previous);
    bool endInsideEvent();
    void endBetweenEvents();
    void reportDamage();

    JsonWindow &m_window;
    KinetoTranslator &m_translator;
    Diagnostics &m_diagnostics;
    std::string m_file;
    KinetoEvent m_event;
    std::uint64_t m_damageCount = 0;
    std::uint64_t m_damageBytes = 0;
    std::uint64_t m_firstDamage = 0;
    std::string m_firstCause;
};

} // namespace core
