#include "tests/support/trace_builder.h"

#include "core/model/broken_off_iterations.h"
#include "core/model/compared_iterations.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <sstream>

using namespace core;

namespace tests {

namespace {

    constexpr std::int64_t UsToNs = 1000;

    struct BuiltSlice
    {
        std::int64_t startNs = 0, durationNs = 0;
        NameId name;
        Category category = Category::Other;
        Phase phase = Phase::None;
        std::uint64_t bytes = 0, correlation = 0, externalId = 0, node = 0, sequence = 0;
        std::optional<CollectiveCall> collective;
        std::optional<TransferCall> transfer;
        std::string tensor;
    };

    template <class Enum, class Name>
    std::optional<Enum> byName(std::string_view text, int count, Name name)
    {
        for (int i = 0; i < count; ++i)
            if (name(static_cast<Enum>(i)) == text)
                return static_cast<Enum>(i);
        return std::nullopt;
    }

    class TraceBuilder
    {
    public:
        Trace build(std::string_view text)
        {
            m_trace.names.emplace_back();
            std::istringstream lines { std::string(text) };
            for (std::string line; std::getline(lines, line);)
                readLine(line);
            std::uint64_t next = 0;
            for (std::size_t t = 0; t < m_slices.size(); ++t)
                finishTrack(t, next);
            std::stable_sort(m_trace.iterations.begin(), m_trace.iterations.end(),
                             [](const Iteration &a, const Iteration &b) {
                                 return a.worker != b.worker ? a.worker < b.worker
                                                             : a.range.startNs < b.range.startNs;
                             });
            markBrokenOff(m_trace);
            m_trace.compared = comparedIterations(m_trace);
            return std::move(m_trace);
        }

    private:
        [[noreturn]] static void fail(const std::string &line)
        {
            std::fprintf(stderr, "traceFromText: cannot read the line '%s'\n", line.c_str());
            std::abort();
        }

        void readLine(const std::string &line)
        {
            std::istringstream stream(line);
            std::vector<std::string> words;
            for (std::string word; stream >> word;)
                words.push_back(word);
            if (words.empty() || words[0].front() == '#')
                return;
            if (words.size() < 2)
                fail(line);
            if (words[0] == "rank")
                addWorker(words);
            else if (m_trace.workers.empty())
                fail(line);
            else if (words[0] == "thread")
                addTrack(TrackKind::HostThread, words);
            else if (words[0] == "comm")
                addTrack(TrackKind::Communication, words);
            else if (words[0] == "stream")
                addTrack(TrackKind::Stream, words);
            else if (words[0] == "annotations")
                addTrack(TrackKind::Annotation, words);
            else if (words[0] == "reads" && words.size() == 3)
                addDependency(DependencyKind::Data, words);
            else if (words[0] == "within" && words.size() == 3)
                addDependency(DependencyKind::Control, words);
            else if (words[0] == "iteration" && words.size() == 4)
                addIteration(words);
            else if (words.size() >= 3 && !m_slices.empty())
                addSlice(words, line);
            else
                fail(line);
        }

        WorkerId worker() const { return m_trace.workers.back().id; }

        void addWorker(const std::vector<std::string> &words)
        {
            Worker &added = m_trace.workers.emplace_back();
            added.id = WorkerId(static_cast<std::uint32_t>(m_trace.workers.size() - 1));
            added.rank = std::stoi(words[1]);
        }

        void addTrack(TrackKind kind, const std::vector<std::string> &words)
        {
            Track &track = m_trace.tracks.emplace_back();
            track.id = TrackId(static_cast<std::uint32_t>(m_trace.tracks.size() - 1));
            track.worker = worker();
            track.kind = kind;
            track.name = words[0] + " " + words[1];
            track.tid = words[1];
            for (const std::string &word : words)
                if (word.starts_with("gpu="))
                    track.device = std::stoi(word.substr(4));
            m_slices.emplace_back();
        }

        void addDependency(DependencyKind kind, const std::vector<std::string> &words)
        {
            m_trace.dependencies.push_back(
                { worker(),
                  { kind, DependencyKey::Node, std::stoull(words[2]), std::stoull(words[1]) } });
        }

        void addIteration(const std::vector<std::string> &words)
        {
            const std::int64_t startNs = std::stoll(words[2]) * UsToNs;
            m_trace.iterations.push_back({ worker(),
                                           std::stoll(words[1]),
                                           { startNs, startNs + std::stoll(words[3]) * UsToNs } });
        }

        void addSlice(const std::vector<std::string> &words, const std::string &line)
        {
            BuiltSlice slice;
            std::string name = words[0];
            std::replace(name.begin(), name.end(), '~', ' ');
            slice.name = intern(name);
            slice.startNs = std::stoll(words[1]) * UsToNs;
            slice.durationNs = std::stoll(words[2]) * UsToNs;
            slice.category = defaultCategory(m_trace.tracks.back().kind);
            std::map<std::string, std::string> values;
            for (std::size_t i = 3; i < words.size(); ++i) {
                const std::size_t equals = words[i].find('=');
                if (equals != std::string::npos) {
                    values[words[i].substr(0, equals)] = words[i].substr(equals + 1);
                } else if (const auto category = byName<Category>(words[i], 14, categoryName)) {
                    slice.category = *category;
                } else {
                    fail(line);
                }
            }
            readValues(slice, values);
            m_slices.back().push_back(slice);
        }

        static Category defaultCategory(TrackKind kind)
        {
            switch (kind) {
            case TrackKind::HostThread:
                return Category::CpuOp;
            case TrackKind::Communication:
                return Category::CommOp;
            case TrackKind::Annotation:
                return Category::GpuAnnotation;
            default:
                return Category::Kernel;
            }
        }

        void readValues(BuiltSlice &slice, const std::map<std::string, std::string> &values) const
        {
            const auto number = [&values](const char *key) -> std::uint64_t {
                const auto it = values.find(key);
                return it == values.end() ? 0 : std::stoull(it->second);
            };
            slice.bytes = number("bytes");
            slice.correlation = number("corr");
            slice.externalId = number("ext");
            slice.node = number("node");
            slice.sequence = number("autograd");
            if (values.count("phase") > 0)
                slice.phase = byName<Phase>(values.at("phase"), 5, phaseName).value_or(Phase::None);
            if (values.count("tensor") > 0)
                slice.tensor = values.at("tensor");
            if (values.count("to") + values.count("from") > 0) {
                TransferCall transfer;
                transfer.worker = worker();
                transfer.isSend = values.count("to") > 0;
                transfer.peer = static_cast<int>(number(transfer.isSend ? "to" : "from"));
                transfer.transaction = slice.tensor;
                slice.transfer = transfer;
            }
            if (values.count("kind") == 0)
                return;
            CollectiveCall call;
            call.worker = worker();
            call.kind = values.at("kind");
            call.bytes = slice.bytes;
            if (values.count("group") > 0)
                call.group = values.at("group");
            if (values.count("seq") > 0)
                call.sequence = number("seq");
            if (values.count("size") > 0)
                call.groupSize = static_cast<int>(number("size"));
            if (values.count("ready") > 0)
                call.readyNs = static_cast<std::int64_t>(number("ready")) * UsToNs;
            slice.collective = call;
        }

        NameId intern(const std::string &name)
        {
            const auto it = std::find(m_trace.names.begin(), m_trace.names.end(), name);
            const auto id = NameId(static_cast<std::uint32_t>(it - m_trace.names.begin()));
            if (it == m_trace.names.end())
                m_trace.names.push_back(name);
            return id;
        }

        void finishTrack(std::size_t index, std::uint64_t &next)
        {
            std::vector<BuiltSlice> &slices = m_slices[index];
            std::stable_sort(slices.begin(), slices.end(), [](const auto &a, const auto &b) {
                return a.startNs != b.startNs ? a.startNs < b.startNs : a.durationNs > b.durationNs;
            });
            Track &track = m_trace.tracks[index];
            SliceColumns &columns = m_trace.slices.emplace_back();
            track.firstSlice = columns.first = SliceId(next);
            track.sliceCount = slices.size();
            std::vector<std::int64_t> open; ///< ends of the enclosing slices
            for (const BuiltSlice &slice : slices) {
                while (!open.empty() && open.back() <= slice.startNs)
                    open.pop_back();
                append(columns, slice, static_cast<std::uint8_t>(open.size()));
                open.push_back(slice.startNs + slice.durationNs);
                track.depthCount
                    = std::max(track.depthCount, static_cast<std::uint32_t>(open.size()));
                track.range.endNs = std::max(track.range.endNs, open.back());
                if (slice.collective) {
                    CollectiveCall call = *slice.collective;
                    call.slice = SliceId(next);
                    m_trace.collectives.push_back(call);
                    addTensorUse(track.worker, SliceId(next), slice.tensor);
                }
                if (slice.transfer) {
                    m_trace.transfers.push_back(*slice.transfer);
                    m_trace.transfers.back().slice = SliceId(next);
                }
                ++next;
            }
            if (!slices.empty())
                track.range.startNs = slices.front().startNs;
        }

        void addTensorUse(WorkerId ofWorker, SliceId slice, const std::string &name)
        {
            if (name.empty())
                return;
            const auto known = std::find_if(
                m_trace.tensors.begin(), m_trace.tensors.end(), [&](const Tensor &tensor) {
                    return tensor.worker == ofWorker && tensor.name == name;
                });
            const auto id = TensorId(static_cast<std::uint32_t>(known - m_trace.tensors.begin()));
            if (known == m_trace.tensors.end())
                m_trace.tensors.push_back({ id, ofWorker, name, 0, {}, {} });
            m_trace.tensorUses.push_back({ slice, id });
        }

        static void append(SliceColumns &columns, const BuiltSlice &slice, std::uint8_t depth)
        {
            columns.startNs.push_back(slice.startNs);
            columns.durationNs.push_back(slice.durationNs);
            columns.name.push_back(slice.name);
            columns.category.push_back(slice.category);
            columns.phase.push_back(slice.phase);
            columns.depth.push_back(depth);
            columns.correlation.push_back(slice.correlation);
            columns.externalId.push_back(slice.externalId);
            columns.node.push_back(slice.node);
            columns.sequence.push_back(slice.sequence);
            columns.forwardThread.push_back(0);
            columns.bytes.push_back(slice.bytes);
        }

        Trace m_trace;
        std::vector<std::vector<BuiltSlice>> m_slices; ///< by TrackId
    };

} // namespace

Trace traceFromText(std::string_view text)
{
    return TraceBuilder().build(text);
}

} // namespace tests
