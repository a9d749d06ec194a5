#include "core/import/dpro_side_file.h"

#include "core/base/error.h"
#include "core/bundle/file_name.h"
#include "core/import/clean_text.h"

namespace core {

namespace {

    constexpr std::size_t LargestFile = 16 * 1024 * 1024;

    /// Counts the file at `path` as one that cannot be used.
    void leaveOut(const BundleEntry &entry, const std::string &path, const std::string &why,
                  Diagnostics &diagnostics)
    {
        const std::string folder(folderName(entry.name()));
        diagnostics.count("side-file-left-out", Severity::Warning, { folder + path, {} },
                          "the file names the tensors, their sizes or the ring of the traces "
                          "beside it, and could not be used: "
                              + why + ". They were read without it. Copy the file again");
    }

} // namespace

nlohmann::json readSideObject(const BundleEntry &entry, const std::string &path,
                              Diagnostics &diagnostics)
{
    std::string why;
    try {
        const auto other = entry.openOther(path);
        if (!other)
            return nlohmann::json::object();
        const std::string text = readUpTo(*other, LargestFile + 1);
        auto parsed = text.size() <= LargestFile
            ? nlohmann::json::parse(cleanText(text), nullptr, false)
            : nlohmann::json();
        if (parsed.is_object())
            return parsed;
        why = text.size() <= LargestFile ? "it is no JSON object" : "it is larger than 16 MiB";
    } catch (const Error &error) {
        why = error.message();
    }
    leaveOut(entry, path, why, diagnostics);
    return nlohmann::json::object();
}

} // namespace core
