#include "core/import/tensorflow/xplane_importer.h"

#include "core/base/error.h"
#include "core/import/entry_reader.h"
#include "core/import/tensorflow/xplane_translator.h"
#include "core/import/tensorflow/xspace_outline.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/protobuf_stream.h"

#include <optional>
#include <set>

namespace core {

namespace {

    constexpr std::string_view Extension = ".xplane.pb";

    /// A plane comes first, and of it its number (if not 0) and its name.
    bool beginsAsXSpace(std::string_view head)
    {
        constexpr std::uint64_t BytesType = 2;
        if (takeVarint(head) != (xspace::Planes << 3U | BytesType) || !takeVarint(head))
            return false;
        std::optional<std::uint64_t> tag = takeVarint(head);
        if (tag == xplane::Id << 3U) {
            if (!takeVarint(head))
                return false;
            tag = takeVarint(head);
        }
        const auto size = takeVarint(head);
        if (tag != (xplane::Name << 3U | BytesType) || !size || *size > head.size())
            return false;
        const std::string_view name = head.substr(0, static_cast<std::size_t>(*size));
        return name.starts_with("/host:") || name.starts_with("/device:")
            || name == "Task Environment";
    }

    std::size_t replacementsIn(std::string_view text)
    {
        constexpr std::string_view Replacement = "\xEF\xBF\xBD"; // U+FFFD
        std::size_t found = 0;
        for (std::size_t at = text.find(Replacement); at != std::string_view::npos;
             at = text.find(Replacement, at + Replacement.size()))
            ++found;
        return found;
    }

    /// Some tools store a file as text and replace what is no UTF-8 by U+FFFD: the lengths of
    /// messages are wrong then. No profile is UTF-8 throughout by itself.
    bool wasStoredAsText(std::string_view head)
    {
        constexpr std::size_t Many = 8;
        while (!head.empty() && static_cast<unsigned char>(head.back()) > 0x7f)
            head.remove_suffix(1); // may be cut inside a character
        const std::size_t replaced = replacementsIn(head);
        return replaced >= Many && replacementsIn(cleanText(head)) == replaced;
    }

    /// All distinct messages in one diagnostic, as there is one of a kind for a file.
    void reportMessages(std::string_view code, Severity severity,
                        const std::vector<std::string> &messages, const std::string &file,
                        Diagnostics &diagnostics)
    {
        std::string text;
        std::set<std::string_view> distinct;
        for (const std::string &message : messages) {
            if (distinct.insert(message).second)
                text += (text.empty() ? "" : "; ") + message;
        }
        if (!messages.empty())
            diagnostics.add({ std::string(code), severity, messages.size(), file, std::nullopt,
                              "the profiler reported: " + text });
    }

    void report(const XSpaceOutline &outline, const std::string &file, Diagnostics &diagnostics)
    {
        reportMessages("profiler-error", Severity::Warning, outline.errors, file, diagnostics);
        reportMessages("profiler-warning", Severity::Info, outline.warnings, file, diagnostics);
        if (outline.namesLeftOut > 0)
            diagnostics.count("too-many-names", Severity::Warning, { file, std::nullopt },
                              "the names in the file need more memory than the import may hold; "
                              "events of further kinds are shown by number. Import again with a "
                              "larger --memory-limit (longpole import), or record fewer steps");
        if (outline.truncatedAt)
            diagnostics.count(
                "truncated-file", Severity::Error, { file, outline.truncatedAt },
                "the file ends inside a plane: what stands before the end was read, "
                "names behind it are lost. Copy the file again, and import it into a new project");
        if (outline.damageCount > 0)
            diagnostics.add({ "damaged-message", Severity::Error, outline.damageCount, file,
                              outline.firstDamage,
                              "parts of the file make no sense and were left out: it was damaged. "
                              "Copy it again" });
    }

} // namespace

bool XPlaneImporter::recognizes(std::string_view entryName, std::string_view head) const
{
    return beginsAsXSpace(head) || (entryName.ends_with(Extension) && !head.empty());
}

std::optional<std::string> XPlaneImporter::damageIn(std::string_view head) const
{
    if (wasStoredAsText(head))
        return "the profile was stored as text on its way: what is no text was replaced, and "
               "nothing can be read any more. Fetch the original file in binary mode";
    if (!beginsAsXSpace(head))
        return "the file is no XSpace profile: it does not begin with a plane. Name the "
               "<host>.xplane.pb that the profiler wrote";
    return std::nullopt;
}

void XPlaneImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    if (const auto damage = damageIn(readUpTo(*openAgain(entry), HeadSize)))
        throw Error(*damage, { entry.name(), std::nullopt });
    const auto again = openAgain(entry);
    const XSpaceOutline outline
        = readXSpaceOutline(*again, sink.importerBytes(), sink.diagnostics(), control.part(0, 0.3));
    report(outline, entry.name(), sink.diagnostics());
    XPlaneTranslator translator(sink, outline, entry.name());
    const JobControl rest = control.part(0.3, 1);
    Diagnostics ignored; // the first pass, which reads to the end, has said the same
    ProtobufStream stream(entry, ignored, rest);
    translator.read(stream);
    translator.finish();
}

} // namespace core
