#include "core/pipeline/joined_collectives.h"

#include "core/graph/node_places.h"
#include "core/graph/op_names.h"
#include "core/model/slice_index.h"
#include "core/model/traced_collectives_key.h"

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

    constexpr std::uint64_t MostRanks = 1'000'000; ///< more is damage

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

    ToldOfNodes toldOf(const Worker &worker, const Trace &trace)
    {
        ToldOfNodes told;
        for (const std::string &file : worker.files) {
            const std::string name = file + '#' + std::string(TracedCollectivesKey);
            for (const JobMetadata &metadata : trace.metadata)
                if (metadata.name == name)
                    addTold(metadata.text, told);
        }
        return told;
    }

    /// A kernel's correlation -> the node of the op that launched it.
    using NodeOfCorrelation = std::unordered_map<std::uint64_t, std::uint64_t>;

    /// A track's slices are sorted by start, longest first: inner ops come behind outer ones.
    NodeOfCorrelation launchesIn(const Trace &trace, const NodePlaces &places,
                                 const ToldOfNodes &told)
    {
        std::map<std::pair<TrackId, std::size_t>, std::uint64_t> ops;
        for (const auto &[node, collective] : told)
            if (const auto place = places.find(node))
                ops.emplace(std::pair(place->track, place->row), node);
        NodeOfCorrelation launches;
        for (const auto &[place, node] : ops) {
            const SliceColumns &slices = trace.slices[place.first.value];
            if (trace.nameOf(slices.name[place.second]) != "record_param_comms")
                continue;
            const std::int64_t endNs = slices.endNs(place.second);
            for (std::size_t row = place.second + 1;
                 row < slices.correlation.size() && slices.startNs[row] < endNs; ++row)
                if (slices.category[row] == Category::Runtime && slices.correlation[row] != 0)
                    launches.insert_or_assign(slices.correlation[row], node);
        }
        return launches;
    }

    std::vector<const Track *> hostThreadsOf(WorkerId worker, const Trace &trace)
    {
        std::vector<const Track *> threads;
        for (const Track &track : trace.tracks)
            if (track.worker == worker && track.kind == TrackKind::HostThread)
                threads.push_back(&track);
        return threads;
    }

    std::vector<DependencyEdge> edgesOf(WorkerId worker, const Trace &trace)
    {
        std::vector<DependencyEdge> edges;
        for (const Dependency &dependency : trace.dependencies)
            if (dependency.worker == worker && dependency.edge.key == DependencyKey::Node)
                edges.push_back(dependency.edge);
        return edges;
    }

    class CollectiveJoiner
    {
    public:
        CollectiveJoiner(Trace &trace, const JobControl &control)
            : m_trace(trace)
            , m_control(control)
            , m_slices(trace)
        {
        }

        void join()
        {
            for (const Worker &worker : m_trace.workers) {
                throwIfCancelled(m_control);
                if (const ToldOfNodes told = toldOf(worker, m_trace); !told.empty())
                    joinWorker(worker.id, told);
            }
            setGroups();
        }

    private:
        void joinWorker(WorkerId worker, const ToldOfNodes &told)
        {
            const NodePlaces places(m_trace, hostThreadsOf(worker, m_trace),
                                    edgesOf(worker, m_trace));
            if (checkOpNames(m_trace, worker, places).isOfOtherProgram())
                return; // which the graph's notes say
            const NodeOfCorrelation launches = launchesIn(m_trace, places, told);
            std::set<std::uint64_t> withKernel;
            for (CollectiveCall &call : m_trace.collectives) {
                const auto place = call.worker == worker ? m_slices.find(call.slice) : std::nullopt;
                if (!place || m_trace.slices[place->track.value].correlation.empty())
                    continue;
                const auto launch
                    = launches.find(m_trace.slices[place->track.value].correlation[place->row]);
                if (launch == launches.end())
                    continue;
                const Told &found = told.at(launch->second);
                complete(call, found, withKernel.insert(launch->second).second);
                m_groupOf.emplace(call.slice, found.group);
            }
        }

        static void complete(CollectiveCall &call, const Told &told, bool isFirst)
        {
            if (call.kind == "other" && !told.kind.empty())
                call.kind = told.kind;
            if (call.kind != told.kind)
                return;
            if (call.bytes == 0 && isFirst)
                call.bytes = told.bytes;
            if (!call.groupSize && told.ranks > 0 && told.ranks <= MostRanks)
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
        std::unordered_map<SliceId, std::string_view> m_groupOf; ///< of the metadata's text
    };

} // namespace

void joinTracedCollectives(Trace &trace, const JobControl &control)
{
    const bool isAnyTold = std::any_of(
        trace.metadata.begin(), trace.metadata.end(), [](const JobMetadata &metadata) {
            return metadata.name.ends_with('#' + std::string(TracedCollectivesKey));
        });
    if (isAnyTold)
        CollectiveJoiner(trace, control).join();
}

} // namespace core
