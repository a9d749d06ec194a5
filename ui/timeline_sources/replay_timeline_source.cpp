#include "ui/timeline_sources/replay_timeline_source.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ui {
namespace {

    /// In loops whose turns are too short to ask at each.
    void throwIfCancelledAt(std::size_t turn, const core::JobControl &control)
    {
        constexpr std::size_t EveryTurns = 4096;
        if (turn % EveryTurns == 0)
            core::throwIfCancelled(control);
    }

    core::Role roleOf(core::OpKind kind, core::Phase phase)
    {
        switch (kind) {
        case core::OpKind::Compute:
            return core::roleOf(core::Category::Kernel, phase);
        case core::OpKind::Communication:
            return core::Role::Communication;
        case core::OpKind::Memory:
            return core::Role::Memory;
        case core::OpKind::Host:
        case core::OpKind::Virtual:
            break;
        }
        return core::Role::Host;
    }

    core::TrackKind kindOf(const core::Device &device)
    {
        if (device.isBackend || device.partOf) {
            return core::TrackKind::Communication;
        }
        return device.isStream ? core::TrackKind::Stream : core::TrackKind::HostThread;
    }

    QString subgroupOf(const core::Device &device, const OrderedTracks &measured)
    {
        if (device.isBackend || device.partOf) {
            return QCoreApplication::translate("Timeline", "communication");
        }
        if (device.isStream)
            return measured.accelerators[device.worker.value];
        return QCoreApplication::translate("Timeline", "host");
    }

    /// A link as a whole is nobody's row; its parts are.
    bool hasRow(const core::Device &device)
    {
        return !device.isLink || device.partOf;
    }

    /// The number at the end of a stream's name: 7 comes before 20.
    int streamNumber(const core::Device &device)
    {
        const QString name = QString::fromStdString(device.name);
        return device.isStream ? name.mid(name.lastIndexOf(u' ') + 1).toInt() : 0;
    }

    /// Ranks in their order, then parameter servers in theirs.
    std::pair<bool, std::int64_t> groupPlace(const core::Device &device,
                                             const std::vector<core::Worker> &ranks)
    {
        return device.server ? std::pair(true, std::int64_t { *device.server })
                             : std::pair(false, std::int64_t { ranks[device.worker.value].rank });
    }

    /// Where each device stands among the measured tracks; their number if it stands for none.
    std::vector<std::size_t> measuredRows(const std::vector<core::Device> &devices,
                                          const OrderedTracks &measured)
    {
        std::unordered_map<std::uint32_t, std::size_t> rowOf; // by track
        for (std::size_t row = 0; row < measured.ids.size(); ++row)
            rowOf.try_emplace(measured.ids[row].value, row);
        std::vector<std::size_t> rows(devices.size(), measured.ids.size());
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (const auto row = rowOf.find(devices[i].track.value);
                devices[i].hasTrack && row != rowOf.end())
                rows[i] = row->second;
        return rows;
    }

    TimelineTrack headOf(const core::Device &device, const OrderedTracks &measured, std::size_t row)
    {
        TimelineTrack head;
        head.group = device.server
            ? QCoreApplication::translate("Timeline", "server %1 (parameter server)")
                  .arg(*device.server)
            : measured.groups[device.worker.value];
        head.kind = kindOf(device);
        head.name = QString::fromStdString(device.name);
        head.subgroup = row < measured.tracks.size() ? measured.tracks[row].subgroup
                                                     : subgroupOf(device, measured);
        return head;
    }

} // namespace

ReplayTimelineSource::ReplayTimelineSource(std::shared_ptr<const core::Prediction> result,
                                           const std::vector<core::Worker> &ranks,
                                           const OrderedTracks &measured,
                                           const core::JobControl &control)
    : m_result(std::move(result))
{
    const core::Graph &graph = *m_result->graph;
    const core::ReplayResult &replay = *m_result->replay;
    m_range = { m_result->timeOriginNs, m_result->timeOriginNs + replay.makespanNs };
    m_depthOfOp.assign(graph.size(), 0);
    m_hasDevice.resize(std::max(ranks.size(), graph.workerCount()));
    for (const core::Device &device : graph.devices)
        if (device.isStream)
            m_hasDevice[device.worker.value] = true;
    findParts(control);
    std::vector<std::vector<core::OpId>> opsOf(graph.devices.size());
    for (std::uint32_t op = 0; op < graph.size(); ++op) {
        throwIfCancelledAt(op, control);
        const bool isShown = m_parts.contains(op)
            || (replay.endNs[op] > replay.startNs[op]
                && hasRow(graph.devices[graph.device[op].value]));
        if (isShown) {
            opsOf[graph.device[op].value].push_back(core::OpId(op));
        }
    }
    useFreeThreads(opsOf, control);
    std::vector<std::uint32_t> order;
    for (std::uint32_t device = 0; device < graph.devices.size(); ++device) {
        if (!opsOf[device].empty()) {
            order.push_back(device);
        }
    }
    const std::vector<std::size_t> rows = measuredRows(graph.devices, measured);
    std::ranges::sort(order, {}, [&](std::uint32_t d) {
        const core::Device &device = graph.devices[d];
        return std::tuple(groupPlace(device, ranks), placeOf(kindOf(device)), rows[d],
                          streamNumber(device), d);
    });
    m_trackOfDevice.assign(graph.devices.size(), 0);
    for (const std::uint32_t device : order) {
        m_trackOfDevice[device] = m_tracks.size();
        m_measuredTracks.push_back(rows[device] < measured.ids.size()
                                       ? std::optional(measured.ids[rows[device]])
                                       : std::nullopt);
        addTrack(opsOf[device], headOf(graph.devices[device], measured, rows[device]), control);
    }
}

void ReplayTimelineSource::useFreeThreads(std::vector<std::vector<core::OpId>> &opsOf,
                                          const core::JobControl &control)
{
    const std::vector<core::Device> &devices = m_result->graph->devices;
    std::map<std::uint32_t, std::vector<std::uint32_t>> threadsOf; // by worker
    for (std::uint32_t device = 0; device < devices.size(); ++device) {
        if (devices[device].isBackend) // those that nothing is left for, too: they are free
            threadsOf[devices[device].worker.value].push_back(device);
    }
    for (const auto &[worker, threads] : threadsOf) {
        std::vector<std::pair<TimelineBox, std::uint32_t>> boxes; // and own devices
        for (const std::uint32_t device : threads) {
            for (const core::OpId op : opsOf[device])
                boxes.emplace_back(boxOf(op), device);
            opsOf[device].clear();
        }
        std::ranges::stable_sort(boxes, {}, [](const auto &box) { return box.first.startNs; });
        // By thread: the first that a box begins at is not before it.
        std::unordered_map<std::uint32_t, std::int64_t> freeNs;
        for (const std::uint32_t thread : threads)
            freeNs[thread] = m_range.startNs;
        for (const auto &entry : boxes) {
            const TimelineBox &box = entry.first;
            std::uint32_t device = entry.second;
            throwIfCancelledAt(static_cast<std::size_t>(box.id), control);
            if (freeNs[device] > box.startNs) {
                const auto freeFrom = [&](std::uint32_t thread) {
                    return std::max(freeNs[thread], box.startNs); // of equals the first
                };
                device = *std::ranges::min_element(threads, {}, freeFrom);
                m_otherDevices[static_cast<std::uint32_t>(box.id)] = device;
            }
            freeNs[device] = std::max(freeNs[device], box.endNs);
            opsOf[device].emplace_back(static_cast<std::uint32_t>(box.id));
        }
    }
}

std::size_t ReplayTimelineSource::trackOf(core::OpId op) const
{
    const auto other = m_otherDevices.find(op.value);
    return m_trackOfDevice[other == m_otherDevices.end() ? m_result->graph->device[op.value].value
                                                         : other->second];
}

void ReplayTimelineSource::findParts(const core::JobControl &control)
{
    const auto parts = core::replayedCollectives(*m_result->graph, *m_result->replay);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        core::throwIfCancelled(control);
        const core::CollectiveNode &node = m_result->graph->collectives[i];
        core::OpId last = node.parts.front().ready;
        for (std::size_t k = 0; k < parts[i].size(); ++k) {
            const core::CollectiveNode::Part &part = node.parts[k];
            m_parts[part.ready.value] = parts[i][k];
            if (m_result->replay->endNs[part.ready.value] > m_result->replay->endNs[last.value]) {
                last = part.ready;
            }
        }
        m_lastPart[node.transfer.value] = last;
    }
}

TimelineBox ReplayTimelineSource::boxOf(core::OpId op) const
{
    const core::Graph &graph = *m_result->graph;
    TimelineBox box;
    box.startNs = m_result->timeOriginNs + m_result->replay->startNs[op.value];
    box.endNs = m_result->timeOriginNs + m_result->replay->endNs[op.value];
    box.id = op.value;
    const core::Device &device = graph.devices[graph.device[op.value].value];
    box.role = roleOnTrack(kindOf(device), m_hasDevice[device.worker.value],
                           roleOf(graph.kind[op.value], graph.phase[op.value]));
    if (const auto part = m_parts.find(op.value); part != m_parts.end()) {
        box.startNs = m_result->timeOriginNs + part->second.startNs;
        box.endNs = m_result->timeOriginNs + part->second.endNs;
        box.waitNs = part->second.transferStartNs - part->second.startNs;
        box.role = core::Role::Communication;
    }
    if (const auto later = m_laterStarts.find(op.value); later != m_laterStarts.end()) {
        box.waitNs -= later->second - box.startNs;
        box.startNs = later->second;
    }
    box.busyNs = box.endNs - box.startNs;
    box.depth = m_depthOfOp[op.value];
    return box;
}

void ReplayTimelineSource::addTrack(const std::vector<core::OpId> &ops, TimelineTrack head,
                                    const core::JobControl &control)
{
    constexpr std::size_t MostDepths = 16;
    std::vector<TimelineBox> boxes;
    boxes.reserve(ops.size());
    for (const core::OpId op : ops) {
        throwIfCancelledAt(boxes.size(), control);
        boxes.push_back(boxOf(op));
    }
    std::ranges::stable_sort(boxes, {}, &TimelineBox::startNs);
    // A shared link serves several ops at once: each goes to the first depth that is free. What
    // waits while another op has its row is drawn from then on: a thread's next collective begins
    // with the end of the one before it.
    std::vector<std::vector<TimelineBox>> byDepth;
    for (TimelineBox &box : boxes) {
        throwIfCancelledAt(static_cast<std::size_t>(&box - boxes.data()), control);
        const auto freeAt = [&byDepth](std::int64_t ns) {
            return std::ranges::find_if(byDepth, [ns](const std::vector<TimelineBox> &placed) {
                return placed.back().endNs <= ns;
            });
        };
        auto row = freeAt(box.startNs);
        if (row == byDepth.end() && (row = freeAt(box.startNs + box.waitNs)) != byDepth.end()) {
            const std::int64_t freeNs = row->back().endNs;
            box.waitNs -= freeNs - box.startNs;
            box.busyNs -= freeNs - box.startNs;
            box.startNs = freeNs;
            m_laterStarts[static_cast<std::uint32_t>(box.id)] = freeNs;
        }
        if (row == byDepth.end() && byDepth.size() < MostDepths) {
            row = byDepth.emplace(byDepth.end());
        } else if (row == byDepth.end()) {
            --row;
        }
        box.depth = static_cast<std::uint8_t>(row - byDepth.begin());
        m_depthOfOp[box.id] = box.depth;
        row->push_back(box);
    }
    head.depthCount = static_cast<std::uint32_t>(byDepth.size());
    m_tracks.push_back(std::move(head));
    std::vector<LevelOfDetail> &levels = m_levels.emplace_back();
    for (std::vector<TimelineBox> &row : byDepth) {
        levels.emplace_back(std::move(row), control);
    }
}

std::vector<TimelineBox> ReplayTimelineSource::boxes(std::size_t track, core::TimeRange range,
                                                     std::int64_t resolutionNs) const
{
    std::vector<TimelineBox> found;
    for (const LevelOfDetail &levels : m_levels[track]) {
        levels.read(range, resolutionNs, found);
    }
    return found;
}

QString ReplayTimelineSource::boxName(std::size_t, std::uint64_t id) const
{
    const core::Graph &graph = *m_result->graph;
    return id < graph.size() ? QString::fromStdString(graph.names[graph.name[id].value])
                             : QString();
}

std::optional<std::pair<std::size_t, TimelineBox>>
ReplayTimelineSource::find(std::uint64_t id) const
{
    const core::Graph &graph = *m_result->graph;
    if (id >= graph.size()) {
        return std::nullopt;
    }
    const TimelineBox box = boxOf(core::OpId(static_cast<std::uint32_t>(id)));
    if (box.endNs <= box.startNs || !hasRow(graph.devices[graph.device[id].value])) {
        return std::nullopt;
    }
    return std::pair(trackOf(core::OpId(static_cast<std::uint32_t>(id))), box);
}

std::vector<std::uint64_t> ReplayTimelineSource::criticalPath() const
{
    std::vector<std::uint64_t> ids;
    for (const core::OpId op : m_result->criticalPath) {
        const auto part = m_lastPart.find(op.value);
        ids.push_back(part == m_lastPart.end() ? op.value : part->second.value);
    }
    return ids;
}

} // namespace ui
