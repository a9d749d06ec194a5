// Any bytes, shown to every importer for recognition and to the description of what none
// recognises. A program of its own: asking all of them costs several times what reading the same
// bytes once does.
#include "core/import/importer.h"
#include "core/import/unknown_format.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// libFuzzer calls a function of this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    constexpr std::array<std::string_view, 4> Names { "rank0.json", "host.xplane.pb", "rank.0.et",
                                                      "report.sqlite" };
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const std::string_view name = Names[size % Names.size()];
    for (const auto &importer : core::importers())
        importer->recognizes(name, text.substr(0, core::Importer::HeadSize));
    core::describeUnknown(name, text);
    return 0;
}
