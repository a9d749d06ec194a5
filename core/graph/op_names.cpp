#include "core/graph/op_names.h"

#include "core/model/op_names_key.h"

#include <algorithm>
#include <charconv>
#include <string_view>

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
    const std::vector<std::string> &files = trace.workers[worker.value].files;
    for (const JobMetadata &metadata : trace.metadata) {
        const bool isOwn = std::any_of(files.begin(), files.end(), [&](const std::string &file) {
            return metadata.name == file + '#' + std::string(OpNamesKey);
        });
        if (!isOwn)
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
