#include "core/export/chrome_trace.h"

#include "core/bundle/gzip_writer.h"
#include "core/measure/typical_iteration.h"
#include "core/model/unrelated_clocks.h"
#include "core/predict/more_ranks.h"
#include "core/predict/prediction_json.h"
#include "core/replay/replayed_collectives.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    /// Nanoseconds as microseconds with three decimals, exactly.
    std::string microseconds(std::int64_t ns)
    {
        std::array<char, 40> text {};
        const char *sign = ns < 0 ? "-" : "";
        const auto magnitude = static_cast<std::uint64_t>(ns < 0 ? -ns : ns);
        std::snprintf(text.data(), text.size(), "%s%llu.%03llu", sign,
                      static_cast<unsigned long long>(magnitude / 1000),
                      static_cast<unsigned long long>(magnitude % 1000));
        return text.data();
    }

    std::string quoted(const std::string &text)
    {
        return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }

    class ChromeTrace
    {
    public:
        /// `otherData`: what is said of the whole trace, as JSON; empty: nothing.
        explicit ChromeTrace(const std::filesystem::path &file, const std::string &otherData = {})
            : m_writer(file)
        {
            m_writer.write("{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",");
            if (!otherData.empty())
                m_writer.write("\"otherData\":" + otherData + ',');
            m_writer.write("\"traceEvents\":[");
        }

        /// Before all other records of the rank: the label says whose they are when the file is
        /// imported; the note stands in the name only.
        void nameRank(const Worker &worker, const std::string &note)
        {
            const int rank = worker.rank;
            addMetadata("process_labels", rank, 0,
                        "\"labels\":" + quoted("rank " + std::to_string(rank)));
            addMetadata("process_name", rank, 0,
                        "\"name\":"
                            + quoted("rank " + std::to_string(rank)
                                     + (note.empty() ? "" : " (" + note + ")")));
            addMetadata("process_sort_index", rank, 0, "\"sort_index\":" + std::to_string(rank));
        }
        /// A process that is no rank.
        void nameServer(int process, std::uint32_t server)
        {
            addMetadata("process_name", process, 0,
                        "\"name\":"
                            + quoted("server " + std::to_string(server) + " (parameter server)"));
            addMetadata("process_sort_index", process, 0,
                        "\"sort_index\":" + std::to_string(process));
        }
        void nameTrack(int rank, std::uint32_t track, const std::string &name)
        {
            addMetadata("thread_name", rank, track, "\"name\":" + quoted(name));
            addMetadata("thread_sort_index", rank, track,
                        "\"sort_index\":" + std::to_string(track));
        }
        void addSlice(const std::string &name, std::string_view category, int rank,
                      std::uint32_t track, const TimeRange &range, const std::string &args = {})
        {
            add("{\"ph\":\"X\",\"name\":" + quoted(name) + ",\"cat\":\"" + std::string(category)
                + "\",\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(track)
                + ",\"ts\":" + microseconds(range.startNs)
                + ",\"dur\":" + microseconds(range.durationNs())
                + (args.empty() ? "}" : ",\"args\":{" + args + "}}"));
            ++m_slices;
        }
        std::uint64_t finish()
        {
            m_writer.write("\n]}\n");
            m_writer.commit();
            return m_slices;
        }

    private:
        void addMetadata(const char *what, int rank, std::uint32_t track, const std::string &args)
        {
            add(std::string("{\"ph\":\"M\",\"name\":\"") + what
                + "\",\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(track)
                + ",\"args\":{" + args + "}}");
        }
        void add(const std::string &event)
        {
            m_writer.write(m_isFirst ? "\n" : ",\n");
            m_writer.write(event);
            m_isFirst = false;
        }

        GzipWriter m_writer;
        bool m_isFirst = true;
        std::uint64_t m_slices = 0;
    };

    /// What ties slices together, under Kineto's names: members of a JSON object. 0 is "none".
    class Arguments
    {
    public:
        void add(const char *key, std::uint64_t value)
        {
            if (value != 0)
                addText(key, std::to_string(value));
        }
        void addText(const char *key, const std::string &json)
        {
            m_text += (m_text.empty() ? "\"" : ",\"") + std::string(key) + "\":" + json;
        }
        void addCollective(const CollectiveCall &call)
        {
            addText("Collective name", quoted(call.kind));
            addText("Process Group Name", quoted(call.group));
            if (call.sequence)
                addText("Seq", std::to_string(*call.sequence));
            if (call.groupSize)
                addText("Group size", std::to_string(*call.groupSize));
        }
        void addWait(const SyncCall &call, const std::string &name)
        {
            // What the host waits for is the record's own stream in Kineto.
            const bool isStreamSync = name == "Stream Sync";
            if (const auto &stream = isStreamSync ? call.waitOnStream : call.stream)
                addText("stream", std::to_string(*stream));
            if (call.waitOnStream && !isStreamSync)
                addText("wait_on_stream", std::to_string(*call.waitOnStream));
            if (call.waitOnCorrelation)
                addText("wait_on_cuda_event_record_corr_id",
                        std::to_string(*call.waitOnCorrelation));
        }
        const std::string &text() const { return m_text; }

    private:
        std::string m_text;
    };

    /// What some slices are besides slices.
    struct Calls
    {
        explicit Calls(const ProjectReader &project)
            : syncs(project.syncs())
        {
            for (const CollectiveCall &call : project.collectives())
                collectiveOf.emplace(call.slice, &call);
            for (const SyncCall &call : syncs)
                syncOf.emplace(call.slice, &call);
        }

        std::vector<SyncCall> syncs;
        std::unordered_map<SliceId, const CollectiveCall *> collectiveOf;
        std::unordered_map<SliceId, const SyncCall *> syncOf;
    };

    SliceId idOf(const SliceColumns &slices, std::size_t row)
    {
        return SliceId(slices.first.value + row);
    }

    /// Records of a CUDA event are "sync" too, but make nobody wait: Kineto's name tells them
    /// apart.
    std::string_view exportedCategory(const SliceColumns &slices, std::size_t row,
                                      const Calls &calls)
    {
        const bool isRecord = slices.category[row] == Category::Sync
            && calls.syncOf.find(idOf(slices, row)) == calls.syncOf.end();
        return isRecord ? "cuda_event" : categoryName(slices.category[row]);
    }

    std::string argumentsOf(const ProjectReader &project, const Track &track,
                            const SliceColumns &slices, std::size_t row, const Calls &calls)
    {
        Arguments args;
        if (track.device)
            args.addText("device", std::to_string(*track.device));
        args.add("correlation", slices.correlation[row]);
        args.add("External id", slices.externalId[row]);
        args.add("Record function id", slices.node[row]);
        if (slices.sequence[row] != 0)
            args.addText("Sequence number", std::to_string(slices.sequence[row] - 1));
        args.add("Fwd thread id", slices.forwardThread[row]);
        args.add("bytes", slices.bytes[row]);
        const auto call = calls.collectiveOf.find(idOf(slices, row));
        if (call != calls.collectiveOf.end())
            args.addCollective(*call->second);
        const auto sync = calls.syncOf.find(idOf(slices, row));
        if (sync != calls.syncOf.end())
            args.addWait(*sync->second, project.nameOf(slices.name[row]));
        return args.text();
    }

    /// A communication track of a rank in the predicted timeline; above every track of the measured
    /// one.
    constexpr std::uint32_t PredictedCommTrack = 1'000'000;

    /// Above the rows of chunks, which are numbered from there on by their link.
    constexpr std::uint32_t PredictedIterationTrack = 2'000'000'000;

    /// The iterations that the prediction is taken from, by the trace's numbers, as torch.profiler
    /// marks steps, so that whoever reads such traces finds them; those that it leaves out have
    /// another name. Of ranks that take part in the replay.
    void addIterations(ChromeTrace &chrome, const Trace &trace, const Prediction &result)
    {
        if (!result.hasIterations)
            return;
        const auto measured = commonIterations(trace);
        for (const Worker &worker : trace.workers) {
            const ReplayedIterations &own = result.iterations[worker.id.value];
            std::int64_t beginNs = own.beginNs;
            if (own.endNs.empty() || own.endNs.back() <= beginNs)
                continue;
            chrome.nameTrack(worker.rank, PredictedIterationTrack, "iterations (predicted)");
            for (std::size_t i = 0; i < own.endNs.size(); ++i) {
                const auto number = measured.size() == own.endNs.size()
                    ? measured[i].index
                    : static_cast<std::int64_t>(i);
                chrome.addSlice("ProfilerStep#" + std::to_string(number)
                                    + (own.counts(i) ? "" : " (left out)"),
                                categoryName(Category::UserAnnotation), worker.rank,
                                PredictedIterationTrack, { beginNs, own.endNs[i] });
                beginNs = own.endNs[i];
            }
        }
    }

    /// What the trace is, for whom has nothing but the file.
    std::string aboutPrediction(const Trace &trace, const Prediction &result)
    {
        nlohmann::ordered_json about { { "predicted_by", "longpole" },
                                       { "settings", strategyJson(result.strategy) } };
        if (const std::string note = standInText(result.strategy, trace.workers.size());
            !note.empty())
            about["ranks"] = note;
        return about.dump();
    }

    /// Parameter servers, as processes behind all ranks.
    constexpr int FirstServerProcess = 1'000'000;

    /// What each rank and each parameter server sends and receives in chunks, on a row for every
    /// end of a link.
    void addChunks(ChromeTrace &chrome, const Trace &trace, const Prediction &result,
                   const JobControl &control)
    {
        const Graph &graph = *result.graph;
        std::set<std::pair<int, std::uint32_t>> named;
        std::set<std::uint32_t> servers;
        for (const CollectiveNode &node : graph.collectives) {
            throwIfCancelled(control);
            for (const CollectiveNode::Part &part : node.parts)
                for (const OpId op : part.chunks) {
                    const DeviceId link = graph.device[op.value];
                    const std::uint32_t track = PredictedCommTrack + 1 + link.value;
                    const std::optional<std::uint32_t> server = graph.devices[link.value].server;
                    const int process = server ? FirstServerProcess + static_cast<int>(*server)
                                               : trace.workers[part.worker.value].rank;
                    if (server && servers.insert(*server).second)
                        chrome.nameServer(process, *server);
                    if (named.emplace(process, track).second)
                        chrome.nameTrack(process, track,
                                         graph.devices[link.value].name + " (predicted)");
                    chrome.addSlice(
                        graph.names[graph.name[op.value].value], "comm", process, track,
                        { result.replay->startNs[op.value], result.replay->endNs[op.value] });
                }
        }
    }

} // namespace

std::uint64_t exportMeasured(const ProjectReader &project, const std::filesystem::path &file,
                             const JobControl &control)
{
    const ProjectInfo &info = project.info();
    ChromeTrace trace(file);
    for (const Worker &worker : info.workers)
        trace.nameRank(worker, placedClockText(info.workers, info.alignment, worker.id));
    const Calls calls(project);
    for (const Track &track : info.tracks) {
        throwIfCancelled(control);
        control.report(static_cast<double>(track.id.value)
                           / static_cast<double>(info.tracks.size()),
                       "export");
        const Worker &worker = info.workers[track.worker.value];
        trace.nameTrack(worker.rank, track.id.value, track.name);
        const SliceColumns slices = project.readTrack(track.id);
        const auto aligned = [&](std::int64_t ns) {
            const auto &all = info.alignment.workers;
            return (all.empty() ? ns : all[track.worker.value].toAligned(ns))
                - info.alignedRange.startNs;
        };
        for (std::size_t row = 0; row < slices.size(); ++row)
            trace.addSlice(project.nameOf(slices.name[row]), exportedCategory(slices, row, calls),
                           worker.rank, track.id.value,
                           { aligned(slices.startNs[row]), aligned(slices.endNs(row)) },
                           argumentsOf(project, track, slices, row, calls));
    }
    return trace.finish();
}

std::uint64_t exportPredicted(const Trace &trace, const Prediction &result,
                              const std::filesystem::path &file, const JobControl &control)
{
    const Graph &graph = *result.graph;
    const ReplayResult &replayed = *result.replay;
    ChromeTrace chrome(file, aboutPrediction(trace, result));
    for (const Worker &worker : trace.workers) {
        chrome.nameRank(worker, placedClockText(trace.workers, trace.alignment, worker.id));
        chrome.nameTrack(worker.rank, PredictedCommTrack, "collectives (predicted)");
    }
    for (std::uint32_t d = 0; d < graph.devices.size(); ++d)
        if (graph.devices[d].hasTrack)
            chrome.nameTrack(trace.workers[graph.devices[d].worker.value].rank, d,
                             graph.devices[d].name + " (predicted)");
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if ((i & 0xFFFF) == 0)
            throwIfCancelled(control);
        if (graph.kind[i] != OpKind::Virtual && graph.devices[graph.device[i].value].hasTrack)
            chrome.addSlice(graph.names[graph.name[i].value], opKindName(graph.kind[i]),
                            trace.workers[graph.worker[i].value].rank, graph.device[i].value,
                            { replayed.startNs[i], replayed.endNs[i] });
    }
    const std::vector<std::vector<ReplayedPart>> parts = replayedCollectives(graph, replayed);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        throwIfCancelled(control);
        const CollectiveNode &node = graph.collectives[i];
        for (std::size_t k = 0; k < parts[i].size(); ++k)
            chrome.addSlice(node.name, "comm", trace.workers[node.parts[k].worker.value].rank,
                            PredictedCommTrack, { parts[i][k].startNs, parts[i][k].endNs });
    }
    addChunks(chrome, trace, result, control);
    addIterations(chrome, trace, result);
    return chrome.finish();
}

} // namespace core
