#include "core/graph/op_names.h"

#include "core/model/op_names_key.h"

#include <algorithm>
#include <charconv>
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

OpNameCheck checkOpNames(const Trace &trace, WorkerId worker, const NodePlaces &places)
{
    OpNameCheck check;
    std::vector<std::string> own; // made once: every rank may have metadata
    for (const std::string &file : trace.workers[worker.value].files)
        own.push_back(file + '#' + std::string(OpNamesKey));
    for (const JobMetadata &metadata : trace.metadata) {
        if (std::find(own.begin(), own.end(), metadata.name) == own.end())
            continue;
        forEachName(metadata.text, [&](std::uint64_t node, std::string_view there) {
            const auto place = places.find(node);
            if (!place)
                return;
            const std::string &here
                = trace.nameOf(trace.slices[place->track.value].name[place->row]);
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
