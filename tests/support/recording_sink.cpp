#include "tests/support/recording_sink.h"

#include <algorithm>
#include <array>

namespace tests {

namespace {

    template <class Value>
    std::string shown(const char *what, const std::optional<Value> &value)
    {
        return value ? std::string(" ") + what + "=" + std::to_string(*value) : std::string();
    }

    std::string shown(const char *what, std::uint64_t value)
    {
        return value != 0 ? std::string(" ") + what + "=" + std::to_string(value) : std::string();
    }

    std::string shown(const core::CollectiveInfo &info)
    {
        return " collective(" + std::string(info.kind) + " group=\"" + std::string(info.group)
            + "\"" + shown("seq", info.sequence) + shown("size", info.groupSize) + ")";
    }

    std::string shown(const core::TransferInfo &info)
    {
        return std::string(info.isSend ? " send(" : " recv(") + '"' + std::string(info.transaction)
            + '"' + shown("peer", info.peer) + shown("channel", info.channel) + ")";
    }

    std::string shown(const core::SyncInfo &info)
    {
        return " sync(" + shown("wait_on_stream", info.waitOnStream)
            + shown("wait_on_correlation", info.waitOnCorrelation) + shown("stream", info.stream)
            + " )";
    }

} // namespace

core::NameId RecordingSink::intern(std::string_view text)
{
    const auto known = m_nameIds.find(text);
    if (known != m_nameIds.end())
        return known->second;
    m_names.emplace_back(text);
    return m_nameIds
        .emplace(std::string(text), core::NameId { static_cast<std::uint32_t>(m_names.size() - 1) })
        .first->second;
}

core::WorkerId RecordingSink::addWorker()
{
    m_workers.emplace_back();
    return core::WorkerId { static_cast<std::uint32_t>(m_workers.size() - 1) };
}

void RecordingSink::describeWorker(core::WorkerId worker, const core::WorkerInfo &info)
{
    m_workers.at(worker.value) = info;
}

core::TrackId RecordingSink::track(core::WorkerId worker, const core::TrackSpec &spec)
{
    const std::string text = std::string(core::trackKindName(spec.kind))
        + " pid=" + std::string(spec.pid) + " tid=" + std::string(spec.tid)
        + shown("device", spec.device) + shown("worker", std::uint64_t { worker.value });
    const auto [known, isNew] = m_trackIds.try_emplace(
        text, core::TrackId { static_cast<std::uint32_t>(m_tracks.size()) });
    if (isNew)
        m_tracks.push_back({ text, {}, {} });
    return known->second;
}

void RecordingSink::nameTrack(core::TrackId track, std::string_view name)
{
    m_tracks.at(track.value).name = name;
}

void RecordingSink::slice(core::TrackId track, const core::SliceRecord &record)
{
    ++m_sliceCount;
    m_collectiveCount += record.collective != nullptr ? 1 : 0;
    m_transferCount += record.transfer != nullptr ? 1 : 0;
    m_waitCount += record.sync != nullptr ? 1 : 0;
    std::string text = std::to_string(record.startNs) + "+" + std::to_string(record.durationNs)
        + " " + std::string(core::categoryName(record.category)) + " \""
        + m_names.at(record.name.value) + "\"" + shown("correlation", record.correlation)
        + shown("external", record.externalId) + shown("node", record.node)
        + shown("sequence", record.sequence) + shown("forward", record.forwardThread)
        + shown("bytes", record.bytes);
    if (record.collective != nullptr) {
        text += shown(*record.collective);
        for (const core::TensorId id : record.collective->tensors)
            text += " tensor=\"" + m_tensors.at(id.value) + '"';
    }
    if (record.transfer != nullptr)
        text += shown(*record.transfer);
    if (record.sync != nullptr)
        text += shown(*record.sync);
    if (!record.args.empty())
        text += " args=" + std::string(record.args);
    m_tracks.at(track.value).slices.push_back(std::move(text));
}

core::TensorId RecordingSink::tensor(core::WorkerId worker, const core::TensorRecord &record)
{
    const std::string key = std::to_string(worker.value) + '/' + std::string(record.name);
    const auto [known, isNew] = m_tensorIds.try_emplace(
        key, core::TensorId { static_cast<std::uint32_t>(m_tensors.size()) });
    if (isNew) {
        m_tensors.emplace_back(record.name);
        m_notes.push_back("tensor \"" + std::string(record.name) + '"'
                          + shown("bytes", record.bytes) + " dtype=" + std::string(record.dtype)
                          + " shape=" + std::string(record.shape));
    }
    return known->second;
}

void RecordingSink::memory(core::WorkerId, const core::MemoryEvent &event)
{
    m_notes.push_back("memory " + std::to_string(event.timeNs) + " "
                      + std::to_string(event.deltaBytes) + shown("device", event.device)
                      + shown("address", event.address) + shown("allocated", event.allocatedBytes)
                      + shown("reserved", event.reservedBytes));
}

void RecordingSink::dependency(core::WorkerId, const core::DependencyEdge &edge)
{
    const auto shownEnd = [&](std::uint64_t end) {
        return edge.key == core::DependencyKey::Name ? '"' + m_names.at(end) + '"'
                                                     : std::to_string(end);
    };
    constexpr std::array Kinds = { "data", "control", "sync" };
    m_notes.push_back(std::string("dependency ") + Kinds.at(static_cast<std::size_t>(edge.kind))
                      + " " + shownEnd(edge.from) + " -> " + shownEnd(edge.to));
}

void RecordingSink::iteration(core::WorkerId worker, std::int64_t index, core::TimeRange range)
{
    m_notes.push_back("iteration " + std::to_string(index) + " of worker "
                      + std::to_string(worker.value) + ": " + std::to_string(range.startNs) + ".."
                      + std::to_string(range.endNs));
}

void RecordingSink::metadata(std::string_view name, std::string_view text)
{
    m_notes.push_back("metadata " + std::string(name) + " " + std::string(text));
}

void RecordingSink::countEvents(core::WorkerId, std::string_view category, std::uint64_t count)
{
    m_counts[std::string(category)] += count;
}

std::string RecordingSink::text() const
{
    std::string all;
    for (const core::WorkerInfo &info : m_workers)
        all += "worker" + shown("rank", info.rank) + shown("world", info.worldSize)
            + (info.host.empty() ? "" : " host=" + info.host) + "\n";
    for (const auto &[category, count] : m_counts)
        all += "count " + category + " " + std::to_string(count) + "\n";
    for (const Track &track : m_tracks) {
        all += track.spec + " \"" + track.name + "\"\n";
        for (const std::string &slice : track.slices)
            all += "  " + slice + "\n";
    }
    for (const std::string &note : m_notes)
        all += note + "\n";
    return all;
}

std::string RecordingSink::countsText() const
{
    const auto notes = [this](std::string_view kind) {
        return std::count_if(m_notes.begin(), m_notes.end(),
                             [kind](const std::string &note) { return note.starts_with(kind); });
    };
    std::string all = "workers " + std::to_string(m_workers.size()) + "\n";
    for (const auto &[category, count] : m_counts)
        all += "events " + category + " " + std::to_string(count) + "\n";
    all += "slices " + std::to_string(m_sliceCount) + "\n";
    all += "collectives " + std::to_string(m_collectiveCount) + "\n";
    all += "transfers " + std::to_string(m_transferCount) + "\n";
    all += "waits " + std::to_string(m_waitCount) + "\n";
    all += "tensors " + std::to_string(notes("tensor ")) + "\n";
    all += "memory " + std::to_string(notes("memory ")) + "\n";
    all += "dependencies " + std::to_string(notes("dependency ")) + "\n";
    all += "iterations " + std::to_string(notes("iteration ")) + "\n";
    for (const core::Diagnostic &diagnostic : m_diagnostics.list())
        all += "diagnostic " + diagnostic.code + " "
            + std::string(core::severityName(diagnostic.severity)) + " "
            + std::to_string(diagnostic.count) + "\n";
    return all;
}

std::string RecordingSink::diagnosticsText() const
{
    std::string all;
    for (const core::Diagnostic &diagnostic : m_diagnostics.list())
        all += diagnostic.code + " " + std::string(core::severityName(diagnostic.severity)) + " "
            + std::to_string(diagnostic.count) + shown("at", diagnostic.firstOffset) + "\n";
    return all;
}

} // namespace tests
