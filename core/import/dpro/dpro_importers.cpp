#include "core/import/dpro/dpro_importers.h"

#include "core/bundle/file_name.h"
#include "core/import/chrome/chrome_slices.h"
#include "core/import/dpro/dpro_rank.h"
#include "core/import/dpro/gml_reader.h"
#include "core/import/rank_from_folders.h"
#include "core/import/text/index_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

namespace core {

namespace {

    constexpr std::size_t MostMergedRanks = 16'384;

    bool isEventFile(std::string_view head)
    {
        return head.find("\"traceEvents\"") != std::string_view::npos;
    }

    void countAll(TraceSink &sink, WorkerId worker, const ChromeSlices::Counts &counts)
    {
        for (const auto &[category, count] : counts)
            sink.countEvents(worker, category, count);
    }

    /// The rank in "comm_detail_r3_lr1".
    std::optional<int> rankInPid(std::string_view pid)
    {
        constexpr std::string_view Prefix = "comm_detail_r";
        if (!pid.starts_with(Prefix))
            return std::nullopt;
        return indexAtFront(pid.substr(Prefix.size()));
    }

    /// All events of one file belong to one rank.
    class OneRankReader : public ChromeSliceConsumer
    {
    public:
        OneRankReader(const BundleEntry &entry, TraceSink &sink)
            : m_entry(entry)
            , m_sink(sink)
            , m_model(entry, "", sink)
            , m_tables(sink, entry.name())
            , m_rank(sink, sink.addWorker(), std::nullopt, m_model, m_tables)
        {
            m_info.rank = rankFromFolders(entry);
        }

        void addSlice(const ChromeSlice &slice) override
        {
            if (!m_hasEvents) {
                const auto stated = rankInPid(slice.pid);
                m_info.rank = stated ? stated : m_info.rank;
                if (m_info.rank)
                    m_rank.setRings(*m_info.rank, readRings(m_entry, *m_info.rank, m_sink));
            }
            m_hasEvents = true;
            m_rank.add(slice);
        }

        void finish(const ChromeSlices::Counts &counts)
        {
            countAll(m_sink, m_rank.worker(), counts);
            const bool hasOps = m_entry.hasOther("trace.json.gz") || m_entry.hasOther("trace.json");
            if (!hasOps) // else these state the steps
                m_rank.finish();
            m_sink.describeWorker(m_rank.worker(), m_info);
        }

    private:
        const BundleEntry &m_entry;
        TraceSink &m_sink;
        DproModel m_model;
        DproTables m_tables;
        DproRank m_rank;
        WorkerInfo m_info;
        bool m_hasEvents = false;
    };

    /// Ranks by pid; a rank's number is known when all have been seen.
    class MergedReader : public ChromeSliceConsumer
    {
    public:
        MergedReader(const BundleEntry &entry, TraceSink &sink)
            : m_file(entry.name())
            , m_sink(sink)
            , m_model(entry, "host0/0/", sink)
            , m_tables(sink, m_file)
        {
        }

        void addSlice(const ChromeSlice &slice) override
        {
            const auto pid = parseDproPid(slice.pid);
            const auto known = pid ? m_ranks.find(*pid) : m_ranks.end();
            if (known != m_ranks.end()) {
                known->second.add(slice);
            } else if (pid && m_ranks.size() < MostMergedRanks) {
                DproRank rank(m_sink, m_sink.addWorker(), pid->local, m_model, m_tables);
                m_ranks.emplace(*pid, std::move(rank)).first->second.add(slice);
            } else {
                m_sink.diagnostics().count(
                    "no-rank", Severity::Error, { m_file, std::nullopt },
                    "events whose pid is no rank (host0.rank0, traces_0.rank0) were left out: they "
                    "belong to parameter servers or to none; import the ranks' own files instead");
            }
        }

        void finish(const ChromeSlices::Counts &counts)
        {
            std::int64_t next = 0, first = 0;
            int host = -1;
            for (auto &[pid, events] : m_ranks) { // by host and local rank
                first = pid.host == host ? first : next;
                host = pid.host;
                const std::int64_t rank = first + pid.local;
                next = rank + 1;
                WorkerInfo info;
                if (rank <= std::numeric_limits<int>::max())
                    info.rank = static_cast<int>(rank);
                info.host = "host" + std::to_string(pid.host);
                m_sink.describeWorker(events.worker(), info);
                events.finish();
            }
            if (!m_ranks.empty())
                countAll(m_sink, m_ranks.begin()->second.worker(), counts);
        }

    private:
        std::string m_file;
        TraceSink &m_sink;
        DproModel m_model;
        DproTables m_tables;
        std::map<DproPid, DproRank> m_ranks;
    };

    template <class Reader>
    void readEvents(BundleEntry &entry, TraceSink &sink, const JobControl &control)
    {
        Reader reader(entry, sink);
        ChromeSlices slices(reader, sink, entry.name());
        readChromeTrace(entry, sink.diagnostics(), slices, control);
        slices.finish();
        reader.finish(slices.counts());
    }

    bool hasRanksOwnFiles(const BundleEntry &entry)
    {
        constexpr std::array Files
            = { std::string_view("trace.json.gz"), std::string_view("trace.json"),
                std::string_view("comm.json"), std::string_view("comm_detail.json") };
        for (const std::string_view folder :
             { std::string_view("host0/0/"), std::string_view("traces_0/0/") })
            for (const std::string_view file : Files)
                if (entry.hasOther(std::string(folder) + std::string(file)))
                    return true;
        return false;
    }

    constexpr std::size_t BytesPerNode = 64; ///< of a graph, with what the map needs

    /// Edges of the rank's own graph, by the names that its slices have.
    class GraphReader : public GmlConsumer
    {
    public:
        GraphReader(const BundleEntry &entry, TraceSink &sink)
            : m_file(entry.name())
            , m_sink(sink)
            , m_worker(sink.addWorker())
        {
            WorkerInfo info;
            info.rank = rankFromFolders(entry);
            m_sink.describeWorker(m_worker, info);
            const DproModel model(entry, "", sink);
            for (const std::string &name : model.gradients())
                if (!name.empty())
                    m_sink.tensor(m_worker, model.tensor(name));
            model.giveSettings(m_sink);
        }

        void addNode(std::int64_t id, std::string_view label) override
        {
            ++m_nodes;
            if (m_names.size() >= m_sink.importerBytes() / BytesPerNode) {
                m_sink.diagnostics().count(
                    "nodes-left-out", Severity::Error, { m_file, std::nullopt },
                    "the graph has more nodes than the import may hold; the others, and edges with "
                    "them, were left out. Import again with a larger --memory-limit (longpole "
                    "import)");
                return;
            }
            m_names[id] = m_sink.intern(parseDproName(label).standard);
        }

        void addEdge(std::int64_t source, std::int64_t target) override
        {
            ++m_edges;
            const auto from = m_names.find(source);
            const auto to = m_names.find(target);
            if (from != m_names.end() && to != m_names.end())
                m_sink.dependency(m_worker,
                                  { DependencyKind::Data, DependencyKey::Name, from->second.value,
                                    to->second.value });
            else
                m_sink.diagnostics().count("unknown-node", Severity::Error,
                                           { m_file, std::nullopt },
                                           "edges from or to a node that the graph does not have "
                                           "were left out: the file is damaged, write it again");
        }

        void finish()
        {
            m_sink.countEvents(m_worker, "node", m_nodes);
            m_sink.countEvents(m_worker, "edge", m_edges);
        }

    private:
        std::string m_file;
        TraceSink &m_sink;
        WorkerId m_worker;
        std::unordered_map<std::int64_t, NameId> m_names;
        std::uint64_t m_nodes = 0, m_edges = 0;
    };

} // namespace

bool DproCommDetailImporter::recognizes(std::string_view, std::string_view head) const
{
    return isEventFile(head)
        && (head.find("\"comm_detail_r") != std::string_view::npos
            || (head.find("\"chunkId\"") != std::string_view::npos
                && head.find("\"loopId\"") != std::string_view::npos));
}

void DproCommDetailImporter::read(BundleEntry &entry, TraceSink &sink,
                                  const JobControl &control) const
{
    readEvents<OneRankReader>(entry, sink, control);
}

bool DproInputImporter::recognizes(std::string_view entryName, std::string_view head) const
{
    return isEventFile(head) && fileName(entryName) == "io.json"
        && head.find("\"I/O") != std::string_view::npos;
}

void DproInputImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    readEvents<OneRankReader>(entry, sink, control);
}

bool DproMergedImporter::recognizes(std::string_view, std::string_view head) const
{
    const auto hasPid = [head](std::string_view word) {
        const std::size_t at = head.find(word);
        return at != std::string_view::npos
            && head.substr(at, 64).find(".rank") != std::string_view::npos;
    };
    return isEventFile(head) && (hasPid("\"host0") || hasPid("\"traces_0"));
}

std::optional<std::string> DproMergedImporter::reasonToLeaveOut(const BundleEntry &entry) const
{
    if (!hasRanksOwnFiles(entry))
        return std::nullopt;
    return "dPRO made this file from the ranks' own, which are in the bundle and are read instead. "
           "Import it alone to read it";
}

void DproMergedImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    readEvents<MergedReader>(entry, sink, control);
}

bool DproGraphImporter::recognizes(std::string_view entryName, std::string_view head) const
{
    const std::size_t start = std::min(head.find("graph"), head.size());
    return fileName(entryName) == "dag.gml"
        && head.substr(start, 32).find('[') != std::string_view::npos;
}

void DproGraphImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    GraphReader reader(entry, sink);
    readGml(entry, sink.diagnostics(), reader, control);
    reader.finish();
}

} // namespace core
