#include "core/import/process_from_name.h"

#include "core/bundle/file_name.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::string_view DecimalDigits = "0123456789";
    constexpr std::string_view TraceExtension = ".pt.trace.json";

    bool isDecimal(std::string_view text)
    {
        return !text.empty() && text.find_first_not_of(DecimalDigits) == std::string_view::npos;
    }

    bool mayBeAnyMachine(std::string_view host)
    {
        constexpr std::array<std::string_view, 4> Names
            = { "", "localhost", "localhost.localdomain", "(none)" };
        return std::find(Names.begin(), Names.end(), host) != Names.end();
    }

} // namespace

std::optional<NamedProcess> processFromName(std::string_view path)
{
    const std::string_view name = fileName(path);
    const std::size_t kindAt = name.rfind(TraceExtension);
    if (kindAt == std::string_view::npos)
        return std::nullopt;
    // Host names may hold dots; the time is behind the last one.
    const std::string_view stem = name.substr(0, kindAt);
    const std::size_t timeAt = stem.rfind('.');
    if (timeAt == std::string_view::npos || !isDecimal(stem.substr(timeAt + 1)))
        return std::nullopt;
    const std::string_view worker = stem.substr(0, timeAt);
    const std::size_t pidAt = worker.rfind('_');
    if (pidAt == std::string_view::npos || !isDecimal(worker.substr(pidAt + 1))
        || mayBeAnyMachine(worker.substr(0, pidAt)))
        return std::nullopt;
    return NamedProcess { worker.substr(0, pidAt), worker.substr(pidAt + 1) };
}

} // namespace core
