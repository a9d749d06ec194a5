#include "core/graph/op_names.h"

#include "core/model/metadata_keys.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

namespace core {

namespace {

    /// Calls function(node, name) for each line "NODE NAME".
    template <class Function>
    void forEachName(std::string_view text, Function function)
    {
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            std::uint64_t node = 0;
            const char *end = line.data() + line.size();
            const auto number = std::from_chars(line.data(), end, node);
            if (number.ec != std::errc() || number.ptr == end || *number.ptr != ' ')
                continue; // anybody may have written the project
            function(node, line.substr(static_cast<std::size_t>(number.ptr + 1 - line.data())));
        }
    }

} // namespace

OpNames::OpNames(const Trace &trace)
    : m_trace(trace)
{
    const std::string ending = '#' + std::string(OpNamesKey);
    for (std::size_t i = 0; i < trace.metadata.size(); ++i) {
        std::string_view name = trace.metadata[i].name;
        if (!name.ends_with(ending))
            continue;
        name.remove_suffix(ending.size());
        m_ofFile[name].push_back(i);
    }
}

OpNameCheck OpNames::check(WorkerId worker, const NodePlaces &places) const
{
    std::set<std::size_t> own; // in the order of the trace
    for (const std::string &file : m_trace.workers[worker.value].files)
        if (const auto found = m_ofFile.find(file); found != m_ofFile.end())
            own.insert(found->second.begin(), found->second.end());
    OpNameCheck check;
    for (const std::size_t i : own) {
        forEachName(m_trace.metadata[i].text, [&](std::uint64_t node, std::string_view there) {
            const auto place = places.find(node);
            if (!place)
                return;
            const std::string &here
                = m_trace.nameOf(m_trace.slices[place->track.value].name[place->row]);
            ++check.compared;
            if (here == there)
                ++check.same;
            else if (check.there.empty()) {
                check.there = there;
                check.here = here;
            }
        });
    }
    return check;
}

} // namespace core
