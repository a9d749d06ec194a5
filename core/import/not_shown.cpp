#include "core/import/not_shown.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    struct NotShownKind
    {
        std::string_view phases, code, message; ///< without a code: said nothing of
    };

    constexpr std::array NotShownKinds
        = { NotShownKind { "MXBEstf", {}, {} },
            NotShownKind { "C", "not-shown-counters",
                           "counters (\"ph\": \"C\") were only counted and are not on the "
                           "timeline: Longpole has no view of their values" },
            NotShownKind { "iIR", "not-shown-instants",
                           "instants (\"ph\": \"i\") were only counted and are not on the "
                           "timeline: it shows what takes time" },
            NotShownKind { "bneSTpF", "not-shown-async",
                           "asynchronous events (\"ph\": \"b\", \"n\", \"e\") were only counted "
                           "and are not on the timeline: it shows what threads and streams run" },
            NotShownKind { "NODPVvc()", "not-shown-events",
                           "objects, samples, memory dumps and the like (\"ph\": \"N\", \"O\", "
                           "\"D\", \"P\", \"v\") were only counted and are not on the timeline: "
                           "Longpole has no view of them" } };

} // namespace

bool countNotShown(char phase, const SourcePosition &where, Diagnostics &diagnostics)
{
    const auto kind = std::find_if(
        NotShownKinds.begin(), NotShownKinds.end(), [phase](const NotShownKind &candidate) {
            return candidate.phases.find(phase) != std::string_view::npos;
        });
    if (kind == NotShownKinds.end())
        return false;
    if (!kind->code.empty())
        diagnostics.count(kind->code, Severity::Info, where, kind->message);
    return true;
}

} // namespace core
