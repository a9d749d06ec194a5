#include "core/pipeline/trace_files.h"

#include "core/bundle/file_name.h"
#include "core/import/text/clean_text.h"
#include "core/pipeline/source_names.h"
#include "core/pipeline/unknown_files.h"

#include <algorithm>

namespace core {

namespace {

    /// Bytes of a bundle's descriptions of the job, which are held in memory: of one, and of all.
    constexpr std::size_t LargestMetadata = 1024 * 1024, MostMetadata = 64 * LargestMetadata;
    constexpr std::string_view MetadataName = "meta.json";
    /// Measured outcomes that stand beside a bundle to check predictions against; a prediction must
    /// not see them.
    constexpr std::string_view TruthName = "truth.json";
    constexpr std::string_view TruthText
        = "holds measured times that predictions are checked against, and is never read: a "
          "prediction must not know them. Give the traces beside it.";

    SourceFile unread(const BundleItem &item, FileStatus status, std::string reason)
    {
        return { item.name, {}, item.storedSize, status, std::move(reason) };
    }

    /// Collects the descriptions of the job, each whole or not at all.
    class Descriptions
    {
    public:
        Descriptions(SortedBundle &sorted, Diagnostics &diagnostics)
            : m_sorted(sorted)
            , m_diagnostics(diagnostics)
        {
        }

        void add(const BundleItem &item, BundleEntry &entry)
        {
            const std::optional<std::string> text = readWhole(entry, LargestMetadata);
            const std::size_t bytes
                = sizeof(JobMetadata) + item.name.size() + (text ? text->size() : 0);
            if (!text || m_heldBytes + bytes > MostMetadata) {
                leaveOut(item);
                return;
            }
            m_heldBytes += bytes;
            m_sorted.metadata.push_back({ item.name, cleanText(*text) });
        }

    private:
        void leaveOut(const BundleItem &item)
        {
            const std::string reason
                = "is larger than 1 MiB, or the descriptions of the job are together larger than "
                  "64 MiB: what it says is not in the project. Leave one meta.json, with what "
                  "concerns the whole job.";
            m_diagnostics.count("description-left-out", Severity::Error, { item.name, {} }, reason);
            m_sorted.others.push_back(unread(item, FileStatus::Skipped, reason));
        }

        SortedBundle &m_sorted;
        Diagnostics &m_diagnostics;
        std::size_t m_heldBytes = 0;
    };

    struct UnknownItem
    {
        std::size_t index = 0; ///< into Bundle::items()
        UnknownFile file;
    };

    /// Last, as it takes all traces to tell what they are.
    void addUnknown(const Bundle &bundle, const std::vector<UnknownItem> &unknown,
                    SortedBundle &sorted, Diagnostics &diagnostics)
    {
        std::vector<std::string> traces;
        for (const TraceFile &trace : sorted.traces)
            traces.push_back(bundle.items()[trace.index].name);
        UnknownFiles files(traces);
        for (const UnknownItem &one : unknown) {
            const BundleItem &item = bundle.items()[one.index];
            files.count(item, one.file, diagnostics);
            sorted.others.push_back(unread(item, FileStatus::Skipped, one.file.message));
        }
    }

    void nameRanks(const Bundle &bundle, std::vector<TraceFile> &traces)
    {
        std::vector<ListedTrace> listed;
        listed.reserve(traces.size());
        for (const TraceFile &trace : traces)
            listed.push_back({ nameThatTellsRank(bundle.items()[trace.index].name), trace.importer,
                               trace.isDamaged });
        const auto ranks = namedRanks(listed);
        for (std::size_t i = 0; i < traces.size(); ++i)
            traces[i].named = ranks[i];
    }

} // namespace

SortedBundle sortBundle(const Bundle &bundle, Diagnostics &diagnostics, const JobControl &control)
{
    diagnostics.merge(bundle.diagnostics());
    SortedBundle sorted;
    Descriptions descriptions(sorted, diagnostics);
    std::vector<UnknownItem> unknown;
    for (std::size_t i = 0; i < bundle.items().size(); ++i) {
        throwIfCancelled(control);
        const std::string &name = bundle.items()[i].name;
        if (fileName(name) == TruthName) {
            if (bundle.items()[i].isNamed)
                diagnostics.count("not-a-trace", Severity::Info, { name, {} }, TruthText);
            continue;
        }
        try {
            const auto entry = bundle.open(i);
            if (fileName(name) == MetadataName) {
                descriptions.add(bundle.items()[i], *entry);
                continue;
            }
            const std::string head = readUpTo(*entry, Importer::HeadSize);
            const auto importer
                = std::find_if(importers().begin(), importers().end(),
                               [&](const auto &one) { return one->recognizes(name, head); });
            if (importer == importers().end()) {
                unknown.push_back({ i, describeUnknown(name, head) });
            } else if (const auto reason = (*importer)->reasonToLeaveOut(*entry)) {
                diagnostics.count("derived-file", Severity::Info, { name, {} }, *reason);
                sorted.others.push_back(unread(bundle.items()[i], FileStatus::Skipped, *reason));
            } else {
                const bool isDamaged = (*importer)->damageIn(head).has_value();
                sorted.traces.push_back({ i, importer->get(), isDamaged, {} });
            }
        } catch (const Error &error) {
            diagnostics.add(unreadableFile(error.where(), error.message()));
            sorted.others.push_back(unread(bundle.items()[i], FileStatus::Failed, error.message()));
        }
    }
    nameRanks(bundle, sorted.traces);
    addUnknown(bundle, unknown, sorted, diagnostics);
    return sorted;
}

} // namespace core
