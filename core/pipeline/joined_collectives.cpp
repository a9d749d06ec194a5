#include "core/pipeline/joined_collectives.h"

#include "core/graph/graph.h"
#include "core/graph/node_places.h"
#include "core/graph/op_names.h"
#include "core/model/metadata_keys.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

namespace {

    struct Told
    {
        std::string_view kind, group; ///< of the metadata's text
        std::uint64_t bytes = 0, ranks = 0;
    };

    using ToldOfNodes = std::unordered_map<std::uint64_t, Told>;

    std::string_view takeWord(std::string_view &line)
    {
        const std::string_view word = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(line.size(), word.size() + 1));
        return word;
    }

    bool takeNumber(std::string_view &line, std::uint64_t &number)
    {
        const std::string_view word = takeWord(line);
        const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
        return result.ec == std::errc() && result.ptr == word.data() + word.size();
    }

    /// Anybody may have written the project.
    void addTold(std::string_view text, ToldOfNodes &told)
    {
        while (!text.empty()) {
            std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            std::uint64_t node = 0;
            Told collective;
            if (!takeNumber(line, node))
                continue;
            collective.kind = takeWord(line);
            if (!takeNumber(line, collective.bytes) || !takeNumber(line, collective.ranks))
                continue;
            collective.group = line;
            told.emplace(node, collective);
        }
    }

    using TextsOfFiles = std::unordered_map<std::string_view, std::vector<std::string_view>>;

    /// By the name of the metadata, which is the file's and the key.
    TextsOfFiles toldTexts(const Trace &trace)
    {
        const std::string suffix = '#' + std::string(TracedCollectivesKey);
        TextsOfFiles texts;
        for (const JobMetadata &metadata : trace.metadata)
            if (metadata.name.ends_with(suffix))
                texts[metadata.name].push_back(metadata.text);
        return texts;
    }

    ToldOfNodes toldOf(const Worker &worker, const TextsOfFiles &texts)
    {
        ToldOfNodes told;
        for (const std::string &file : worker.files) {
            const std::string name = file + '#' + std::string(TracedCollectivesKey);
            if (const auto found = texts.find(name); found != texts.end())
                for (const std::string_view text : found->second)
                    addTold(text, told);
        }
        return told;
    }

    /// A kernel's correlation -> the node of the op that launched it.
    using NodeOfCorrelation = std::unordered_map<std::uint64_t, std::uint64_t>;

    /// Those of the innermost op each, in one pass: ops that lie within each other to any depth
    /// must not make it quadratic. A track's slices are sorted by start, longest first.
    NodeOfCorrelation launchesIn(const Trace &trace, const NodePlaces &places,
                                 const ToldOfNodes &told)
    {
        std::map<std::pair<TrackId, std::size_t>, std::uint64_t> ops;
        for (const auto &[node, collective] : told)
            if (const auto place = places.find(node))
                ops.emplace(std::pair(place->track, place->row), node);
        NodeOfCorrelation launches;
        for (auto next = ops.begin(); next != ops.end();) {
            const auto [track, first] = next->first;
            const SliceColumns &slices = trace.slices[track.value];
            std::vector<std::pair<std::int64_t, std::uint64_t>> open; // ends and nodes
            for (std::size_t row = first; row < slices.startNs.size(); ++row) {
                while (!open.empty() && open.back().first <= slices.startNs[row])
                    open.pop_back();
                if (next != ops.end() && next->first == std::pair(track, row)) {
                    if (trace.nameOf(slices.name[row]) == "record_param_comms")
                        open.emplace_back(slices.endNs(row), next->second);
                    ++next;
                } else if (open.empty()) {
                    break;
                } else if (slices.category[row] == Category::Runtime && !slices.correlation.empty()
                           && slices.correlation[row] != 0) {
                    launches.insert_or_assign(slices.correlation[row], open.back().second);
                }
            }
        }
        return launches;
    }

    /// [workers]
    std::vector<std::vector<const Track *>> hostThreads(const Trace &trace)
    {
        std::vector<std::vector<const Track *>> threads(trace.workers.size());
        for (const Track &track : trace.tracks)
            if (track.kind == TrackKind::HostThread)
                threads[track.worker.value].push_back(&track);
        return threads;
    }

    /// [workers]; indices into trace.collectives
    std::vector<std::vector<std::size_t>> callsOfWorkers(const Trace &trace)
    {
        std::vector<std::vector<std::size_t>> calls(trace.workers.size());
        for (std::size_t i = 0; i < trace.collectives.size(); ++i)
            calls[trace.collectives[i].worker.value].push_back(i);
        return calls;
    }

    class CollectiveJoiner
    {
    public:
        CollectiveJoiner(Trace &trace, const JobControl &control)
            : m_trace(trace)
            , m_control(control)
            , m_slices(trace)
            , m_names(trace)
            , m_threads(hostThreads(trace))
            , m_calls(callsOfWorkers(trace))
            , m_edges(nodeEdges(trace))
        {
        }

        void join(const TextsOfFiles &texts)
        {
            for (const Worker &worker : m_trace.workers) {
                throwIfCancelled(m_control);
                if (const ToldOfNodes told = toldOf(worker, texts); !told.empty())
                    joinWorker(worker.id, told);
            }
            const bool sendsToo = areSendsTold();
            for (const Pair &pair : m_pairs)
                complete(m_trace.collectives[pair.call], pair.told, pair.isFirst, sendsToo);
            setGroups();
        }

    private:
        /// A call, and what its node tells.
        struct Pair
        {
            std::size_t call;
            Told told;
            bool isFirst; ///< of the node's calls
        };

        void joinWorker(WorkerId worker, const ToldOfNodes &told)
        {
            const NodePlaces places(m_trace, m_threads[worker.value], m_edges[worker.value]);
            if (m_names.check(worker, places).isOfOtherProgram())
                return; // which the graph's notes say
            const NodeOfCorrelation launches = launchesIn(m_trace, places, told);
            std::set<std::uint64_t> withKernel;
            for (const std::size_t index : m_calls[worker.value]) {
                const CollectiveCall &call = m_trace.collectives[index];
                const auto place = m_slices.find(call.slice);
                if (!place || m_trace.slices[place->track.value].correlation.empty())
                    continue;
                const auto launch
                    = launches.find(m_trace.slices[place->track.value].correlation[place->row]);
                if (launch == launches.end())
                    continue;
                const Told &found = told.at(launch->second);
                m_pairs.push_back({ index, found, withKernel.insert(launch->second).second });
                m_groupOf.emplace(call.slice, found.group);
            }
        }

        /// What a kernel of sends and receives is made for. Told for some ranks only, its calls
        /// would no longer be matched across ranks.
        bool areSendsTold() const
        {
            std::set<WorkerId> have, told;
            for (const CollectiveCall &call : m_trace.collectives)
                if (call.kind == MessageKind)
                    have.insert(call.worker);
            for (const Pair &pair : m_pairs)
                if (m_trace.collectives[pair.call].kind == MessageKind && !pair.told.kind.empty())
                    told.insert(m_trace.collectives[pair.call].worker);
            return have == told;
        }

        static void complete(CollectiveCall &call, const Told &told, bool isFirst,
                             bool areSendsTold)
        {
            if (!told.kind.empty()
                && (call.kind == "other" || (areSendsTold && call.kind == MessageKind)))
                call.kind = told.kind;
            if (call.kind != told.kind)
                return;
            if (call.bytes == 0 && isFirst && told.bytes <= MostTracedBytes)
                call.bytes = told.bytes;
            if (!call.groupSize && told.ranks > 0 && told.ranks <= MostTracedRanks)
                call.groupSize = static_cast<int>(told.ranks);
        }

        /// Named for some only, calls of one group would no longer be matched across ranks.
        void setGroups()
        {
            const bool areAllTold
                = std::all_of(m_trace.collectives.begin(), m_trace.collectives.end(),
                              [this](const CollectiveCall &call) {
                                  return call.group.empty() && m_groupOf.contains(call.slice);
                              });
            if (areAllTold)
                for (CollectiveCall &call : m_trace.collectives)
                    call.group = m_groupOf.at(call.slice);
        }

        Trace &m_trace;
        const JobControl &m_control;
        SliceIndex m_slices;
        OpNames m_names;
        std::vector<std::vector<const Track *>> m_threads;
        std::vector<std::vector<std::size_t>> m_calls;
        std::vector<std::vector<DependencyEdge>> m_edges;
        std::vector<Pair> m_pairs;
        std::unordered_map<SliceId, std::string_view> m_groupOf; ///< of the metadata's text
    };

} // namespace

void joinTracedCollectives(Trace &trace, const JobControl &control)
{
    const TextsOfFiles texts = toldTexts(trace);
    if (!texts.empty())
        CollectiveJoiner(trace, control).join(texts);
}

} // namespace core
