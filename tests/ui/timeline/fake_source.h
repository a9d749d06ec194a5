#pragma once

#include "ui/timeline/timeline_source.h"

#include <algorithm>
#include <map>

namespace tests {

/// A source whose slices are listed by the test; ids count from 0 in the order of addition.
class FakeSource : public ui::TimelineSource
{
public:
    std::size_t addTrack(const QString &group, const QString &subgroup, const QString &name,
                         core::TrackKind kind, std::uint32_t depthCount = 1)
    {
        m_tracks.push_back({ name, group, subgroup, depthCount, kind });
        m_boxes.emplace_back();
        return m_tracks.size() - 1;
    }

    std::uint64_t add(std::size_t track, std::int64_t startNs, std::int64_t endNs,
                      core::Role role = core::Role::Forward, std::uint8_t depth = 0,
                      std::int64_t waitNs = 0)
    {
        const std::uint64_t id = m_names.size();
        m_names.push_back(QStringLiteral("slice %1").arg(id));
        m_boxes[track].push_back({ .startNs = startNs,
                                   .endNs = endNs,
                                   .busyNs = endNs - startNs,
                                   .id = id,
                                   .depth = depth,
                                   .role = role,
                                   .waitNs = waitNs });
        m_range = m_names.size() == 1 ? core::TimeRange { startNs, endNs }
                                      : core::TimeRange { std::min(m_range.startNs, startNs),
                                                          std::max(m_range.endNs, endNs) };
        return id;
    }

    void setCriticalPath(std::vector<std::uint64_t> ids) { m_criticalPath = std::move(ids); }
    void setPredicted(bool predicted) { m_isPredicted = predicted; }

    const std::vector<ui::TimelineTrack> &tracks() const override { return m_tracks; }
    core::TimeRange range() const override { return m_range; }
    std::vector<ui::TimelineBox> boxes(std::size_t track, core::TimeRange range,
                                       std::int64_t) const override
    {
        ++m_reads;
        std::vector<ui::TimelineBox> found;
        for (const ui::TimelineBox &box : m_boxes[track]) {
            if (box.startNs < range.endNs && box.endNs > range.startNs) {
                found.push_back(box);
            }
        }
        std::ranges::stable_sort(found, {}, [](const ui::TimelineBox &box) {
            return std::pair(box.depth, box.startNs);
        });
        return found;
    }
    QString boxName(std::size_t, std::uint64_t id) const override { return m_names.at(id); }
    std::optional<std::pair<std::size_t, ui::TimelineBox>> find(std::uint64_t id) const override
    {
        for (std::size_t track = 0; track < m_boxes.size(); ++track) {
            for (const ui::TimelineBox &box : m_boxes[track]) {
                if (box.id == id) {
                    return std::pair(track, box);
                }
            }
        }
        return std::nullopt;
    }
    std::vector<std::uint64_t> criticalPath() const override { return m_criticalPath; }
    bool isPredicted() const override { return m_isPredicted; }

    int reads() const { return m_reads; } ///< calls of boxes()

private:
    std::vector<ui::TimelineTrack> m_tracks;
    std::vector<std::vector<ui::TimelineBox>> m_boxes;
    std::vector<QString> m_names;
    std::vector<std::uint64_t> m_criticalPath;
    core::TimeRange m_range;
    bool m_isPredicted = false;
    mutable int m_reads = 0;
};

/// Two ranks with a GPU stream, a communication stream and two host threads each; 0 .. 1 ms.
inline std::shared_ptr<FakeSource> twoRanks()
{
    using core::Role;
    using core::TrackKind;
    auto source = std::make_shared<FakeSource>();
    std::vector<std::uint64_t> path;
    for (int rank = 0; rank < 2; ++rank) {
        const QString group = QStringLiteral("rank %1").arg(rank);
        const auto compute = source->addTrack(group, QStringLiteral("GPU 0"),
                                              QStringLiteral("stream 7"), TrackKind::Stream);
        const auto comm = source->addTrack(group, QStringLiteral("GPU 0"),
                                           QStringLiteral("stream 20"), TrackKind::Stream);
        const auto host = source->addTrack(group, QStringLiteral("host"), QStringLiteral("main"),
                                           TrackKind::HostThread, 6);
        path.push_back(source->add(compute, 0, 300'000, Role::Forward));
        path.push_back(source->add(compute, 300'000, 700'000, Role::Backward));
        path.push_back(source->add(comm, 400'000, 900'000, Role::Communication, 0, 200'000));
        path.push_back(source->add(compute, 900'000, 1'000'000, Role::Optimizer));
        for (std::uint8_t depth = 0; depth < 6; ++depth) {
            source->add(host, depth * 10'000, 1'000'000 - depth * 10'000, Role::Host, depth);
        }
    }
    source->setCriticalPath(path);
    return source;
}

} // namespace tests
