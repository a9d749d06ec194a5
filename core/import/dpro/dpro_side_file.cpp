#include "core/import/dpro/dpro_side_file.h"

#include "core/base/error.h"
#include "core/bundle/file_name.h"
#include "core/import/text/clean_text.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace core {

namespace {

    constexpr std::size_t LargestFile = 16 * 1024 * 1024; ///< whatever the memory

    /// About what the parsed text takes, with the text and a clean copy of it. An empty object
    /// needs thirty times its bytes.
    std::size_t parsedBytes(std::string_view text)
    {
        constexpr std::size_t BytesPerValue = 96, Copies = 3;
        const auto values = std::count_if(text.begin(), text.end(),
                                          [](char c) { return c == '{' || c == '[' || c == ','; });
        return Copies * text.size() + BytesPerValue * static_cast<std::size_t>(values);
    }

    std::string withRemedy(const std::string &why)
    {
        return why + (why.ends_with('.') ? "" : ".")
            + " They were read without it. Copy the file again";
    }

    /// Counts the file at `path` as one that cannot be used.
    void leaveOut(const BundleEntry &entry, const std::string &path, const std::string &why,
                  TraceSink &sink)
    {
        const std::string folder(folderName(entry.name()));
        sink.diagnostics().count(
            "side-file-left-out", Severity::Warning, { folder + path, {} },
            "the file names the tensors, their sizes or the ring of the traces "
            "beside it, and could not be used: "
                + why);
    }

} // namespace

nlohmann::json readSideObject(const BundleEntry &entry, const std::string &path, TraceSink &sink)
{
    std::string why;
    try {
        const auto other = entry.openOther(path);
        if (!other)
            return nlohmann::json::object();
        const std::size_t most = std::min(LargestFile, sink.importerBytes());
        const std::optional<std::string> text = readWhole(*other, most);
        if (!text && most == LargestFile) {
            why = withRemedy("it is larger than 16 MiB");
        } else if (!text || parsedBytes(*text) > sink.importerBytes()) {
            why = "it takes more memory than the import may hold. They were read without it. "
                  "Import again with a larger --memory-limit or fewer --jobs";
        } else {
            auto parsed = nlohmann::json::parse(cleanText(*text), nullptr, false);
            if (parsed.is_object())
                return parsed;
            why = withRemedy("it is no JSON object");
        }
    } catch (const Error &error) {
        why = withRemedy(error.message());
    }
    leaveOut(entry, path, why, sink);
    return nlohmann::json::object();
}

} // namespace core
