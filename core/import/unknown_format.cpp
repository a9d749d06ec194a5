#include "core/import/unknown_format.h"

#include "core/base/sqlite_magic.h"
#include "core/bundle/file_name.h"
#include "core/import/text/text_head.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace core {

namespace {

    constexpr std::string_view NotYet = ", which cannot be read yet. ";

    bool hasAll(std::string_view head, std::initializer_list<std::string_view> words)
    {
        return std::all_of(words.begin(), words.end(), [head](std::string_view word) {
            return head.find(word) != std::string_view::npos;
        });
    }

    UnknownFile notYet(std::string_view what, std::string_view remedy)
    {
        return { std::string(what) + std::string(NotYet) + std::string(remedy), true };
    }

    constexpr std::string_view ChromeTraces
        = "Chrome traces are read that torch.profiler, TensorFlow, TensorBoard's trace viewer, "
          "MXNet, Horovod, BlueFog, BytePS, ByteScheduler or dPRO wrote";
    constexpr std::string_view JsonTraces
        = "JSON that is read: Chrome traces of torch.profiler, TensorFlow, Horovod and others, "
          "execution traces (PyTorch, Chakra), and what NCCL's profiler plug-in and its Inspector "
          "write";
    constexpr std::string_view BinaryTraces
        = "Binary traces that are read: XSpace profiles (.xplane.pb), exports of Nsight Systems "
          "(.sqlite), Chakra (.et), step statistics of TensorFlow, and recordings of Longpole's "
          "collectors";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> BinaryNames { {
        { ".et", "a Chakra trace" },
        { ".xplane.pb", "an XSpace profile" },
        { ".sqlite", "an export of Nsight Systems" },
    } };
    constexpr std::string_view TextTraces
        = "Traces that are text are JSON, which this does not begin as; of dPRO's graphs dag.gml "
          "is read";

    constexpr std::string_view ReadWithTraces
        = "belongs to a dPRO trace and is read together with the traces beside it";
    constexpr std::string_view MadeFromGraphs
        = "is a graph that dPRO made from the ranks' own (dag.gml), which are read instead";
    constexpr std::string_view NotNeeded
        = "belongs to a dPRO trace of BytePS; the timelines beside it have what is needed of it";
    constexpr std::string_view PythonText
        = "is Python text that dPRO evaluates. It is never evaluated here, and holds nothing that "
          "the ranks' traces do not";

    constexpr std::string_view DproMetadata = "metadata.json";

    /// Others write files of this name, too.
    bool isDproMetadata(std::string_view head)
    {
        return hasAll(head, { "\"op\"" }) || hasAll(head, { "\"outputs\"", "\"out_shapes\"" })
            || hasAll(head, { "\"gradient_name_list\"" });
    }

    /// Files of a dPRO trace folder that are no traces, by name.
    constexpr std::array DproFiles = {
        std::pair { std::string_view("gradient_name_list.json"), ReadWithTraces },
        std::pair { std::string_view("gradient_name2ID.json"), ReadWithTraces },
        std::pair { std::string_view("nccl_rank_graph.json"), ReadWithTraces },
        std::pair { DproMetadata, ReadWithTraces },
        std::pair { std::string_view("trail_dag.gml"), MadeFromGraphs },
        std::pair { std::string_view("local_dfg.gml"), MadeFromGraphs },
        std::pair { std::string_view("key_dict.txt"), NotNeeded },
        std::pair { std::string_view("ip_to_rank.txt"), NotNeeded },
        std::pair { std::string_view("statistic.txt"), PythonText },
        std::pair { std::string_view("nccl_graph.txt"), PythonText },
    };

    constexpr std::string_view PartOfAscend = "belongs to a profile of torch_npu (Ascend), of "
                                              "which trace_view.json is read: it is read "
                                              "together with that, or sums it up";

    /// Files that torch_npu writes beside trace_view.json.
    bool isOfAscend(std::string_view entryName, std::string_view head)
    {
        const std::string_view name = fileName(entryName);
        if (name.starts_with("profiler_info") && name.ends_with(".json"))
            return hasAll(head, { "\"config\"" }) || hasAll(head, { "\"rank_id\"" })
                || hasAll(head, { "\"start_info\"" });
        if (name == "profiler_metadata.json")
            return firstCharacter(head) == '{';
        return folderName(entryName).ends_with("ASCEND_PROFILER_OUTPUT/")
            && (name.ends_with(".json") || name.ends_with(".csv") || name.ends_with(".db"));
    }

    struct Compression
    {
        std::string_view magic;
        std::string_view sentence;
    };

    /// What the bundle has not undone: archives within archives, and other compressions.
    constexpr Compression Compressions[] = {
        { "PK\x03\x04",
          "is an archive that cannot be looked into: damaged, or inside of another one. Unpack it "
          "and import its files" },
        { "\x1f\x8b", "is compressed twice (gzip inside of gzip). Run gunzip on it once" },
        { "\xfd"
          "7zXZ",
          "is compressed with xz, which is not undone here. Run unxz on it" },
        { "\x28\xb5\x2f\xfd",
          "is compressed with zstd, which is not undone here. Run unzstd on it" },
        { "BZh", "is compressed with bzip2, which is not undone here. Run bunzip2 on it" },
        { "7z\xbc\xaf",
          "is a 7z archive, which is not looked into here. Unpack it and import its files" },
    };

    /// JSON that Windows' shell has redirected into a file is UTF-16.
    bool isWideJson(std::string_view head)
    {
        using namespace std::string_view_literals;
        for (const std::string_view mark :
             { "\xff\xfe\0\0"sv, "\0\0\xfe\xff"sv, "\xff\xfe"sv, "\xfe\xff"sv })
            if (head.starts_with(mark)) {
                head.remove_prefix(mark.size());
                break;
            }
        constexpr std::array Begins
            = { "{\0"sv, "\0{"sv, "[\0"sv, "\0["sv, "\0\0\0{"sv, "\0\0\0["sv };
        return std::any_of(Begins.begin(), Begins.end(),
                           [head](std::string_view text) { return head.starts_with(text); });
    }

    UnknownFile describeWideJson(std::string_view head)
    {
        std::string narrow(head);
        std::erase(narrow, '\0');
        return {
            "is JSON in UTF-16 or UTF-32, of which nothing is read here. Convert it with: iconv -f "
            "UTF-16 -t UTF-8 FILE > FILE.json (or UTF-32), and import that",
            hasAll(narrow, { "\"traceEvents\"" }) || hasAll(narrow, { "\"ph\"" })
        };
    }

    bool isTar(std::string_view head)
    {
        constexpr std::size_t MagicOffset = 257;
        return head.size() > MagicOffset && head.substr(MagicOffset).starts_with("ustar");
    }

    UnknownFile describeDatabase(std::string_view head)
    {
        if (hasAll(head, { "rocpd_" }))
            return notYet("is a database of rocprofiler (rocpd)",
                          "Record with torch.profiler, whose traces of AMD GPUs are read");
        return { "is an SQLite database, but no export of Nsight Systems, or one without its names "
                 "(the table StringIds). If it is one, export the report again: nsys export --type "
                 "sqlite FILE. Open a project of Longpole with the other commands",
                 false };
    }

    UnknownFile describeBinary(std::string_view entryName, std::string_view head)
    {
        if (head.starts_with(SqliteMagic))
            return describeDatabase(head);
        for (const Compression &compression : Compressions) {
            if (head.starts_with(compression.magic))
                return { std::string(compression.sentence), true };
        }
        if (isTar(head))
            return {
                "is a tar archive, which is not looked into here. Unpack it and import its files",
                true
            };
        for (const std::string_view extension : { ".nsys-rep", ".qdrep" }) {
            if (entryName.ends_with(extension))
                return { "is a report of Nsight Systems in its own closed format. Export it with: "
                         "nsys export --type sqlite FILE, and import the .sqlite file",
                         true };
        }
        for (const std::string_view extension : { ".pftrace", ".perfetto-trace" }) {
            if (entryName.ends_with(extension))
                return notYet("is a Perfetto trace",
                              "Convert it with: traceconv json FILE FILE.json");
        }
        for (const auto &[extension, format] : BinaryNames)
            if (entryName.ends_with(extension))
                return {
                    "is named as " + std::string(format)
                        + ", but does not begin as one: it was damaged, or is something else. "
                          "Copy it again from where it was recorded, in binary mode, or record "
                          "again",
                    true
                };
        return { "is no trace that is known here: it is binary. " + std::string(BinaryTraces),
                 false };
    }

    /// {"traceEvents": []}, with anything before.
    bool hasNoEvents(std::string_view head)
    {
        constexpr std::string_view Key = "\"traceEvents\"";
        const std::size_t at = head.find(Key);
        if (at == std::string_view::npos)
            return false;
        std::string_view rest = head.substr(at + Key.size());
        for (const char expected : { ':', '[', ']' }) {
            if (firstCharacter(rest) != expected)
                return false;
            rest.remove_prefix(rest.find(expected) + 1);
        }
        return true;
    }

    /// "[" or "[ ]", of a file that has no more; "{}" may be anything.
    bool isListOfNothing(std::string_view head)
    {
        return firstCharacter(head) == '['
            && head.find_first_not_of(" \t\r\n\xEF\xBB\xBF[]") == std::string_view::npos;
    }

    UnknownFile describeJson(std::string_view head)
    {
        if (isListOfNothing(head))
            return { "is a JSON list without anything in it: its program recorded nothing, or was "
                     "stopped before it did. Record again, or leave it out",
                     false, true };
        if (hasNoEvents(head))
            return { "is a Chrome trace without events: its program recorded nothing. Record "
                     "again, or leave it out",
                     true, true };
        if (hasAll(head, { "\"traceEvents\"" }) || hasAll(head, { "\"ph\"" }))
            return notYet("is a Chrome trace of a program that is not known here", ChromeTraces);
        return { "is JSON, but no trace that is known here. " + std::string(JsonTraces), false };
    }

} // namespace

UnknownFile describeUnknown(std::string_view entryName, std::string_view head)
{
    if (head.empty())
        return { "is empty. Record again, or leave it out", false, true };
    for (const auto &[name, sentence] : DproFiles)
        if (fileName(entryName) == name && (name != DproMetadata || isDproMetadata(head)))
            return { std::string(sentence), false, false, true };
    if (isOfAscend(entryName, head))
        return { std::string(PartOfAscend), false, false, true };
    if (isWideJson(head))
        return describeWideJson(head);
    const char first = firstCharacter(head);
    if (first == '{' || first == '[')
        return describeJson(head);
    const bool isBinary = std::any_of(head.begin(), head.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
    });
    if (isBinary)
        return describeBinary(entryName, head);
    return { "is text, but no trace that is known here. " + std::string(TextTraces), false };
}

} // namespace core
