#include "ui/views/timeline/area_totals.h"

#include "core/project/read/project_reader.h"
#include "ui/timeline_sources/clock_map.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ui {
namespace {

    /// What is collected of one rank before the unions are taken.
    struct RankIntervals
    {
        std::array<std::vector<core::TimeRange>, core::RoleCount> byRole;
        bool hasStream = false;
    };

    bool isCompute(core::Role role)
    {
        return role != core::Role::Communication && role != core::Role::Host
            && role != core::Role::Annotation;
    }

    class Adder
    {
    public:
        Adder(const core::ProjectReader &reader, core::TimeRange range)
            : m_reader(reader)
            , m_clocks(reader.info().alignment)
            , m_range(range)
        {
        }

        void noteTrack(const core::Track &track)
        {
            m_ranks[track.worker.value].hasStream |= track.kind == core::TrackKind::Stream;
        }

        void addTrack(const core::Track &track)
        {
            const core::TrackWindow window
                = m_reader.readWindow(track.id, m_clocks.toRaw(track.worker, m_range), 0);
            RankIntervals &rank = m_ranks[track.worker.value];
            // Host threads only tell what a rank computes where it has no device.
            const bool isBusy = !rank.hasStream || track.kind != core::TrackKind::HostThread;
            const core::SliceColumns &slices = window.slices;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                const std::int64_t start = m_clocks.toAligned(track.worker, slices.startNs[row]);
                const core::TimeRange cut { std::max(start, m_range.startNs),
                                            std::min(start + slices.durationNs[row],
                                                     m_range.endNs) };
                const core::Role role = core::roleOf(slices.category[row], slices.phase[row]);
                addName(slices.name[row], role, cut);
                if (isBusy && !cut.isEmpty()) {
                    rank.byRole[static_cast<std::size_t>(role)].push_back(cut);
                }
            }
        }

        AreaTotals take()
        {
            AreaTotals totals;
            totals.range = m_range;
            takeNames(totals);
            std::array<std::int64_t, core::RoleCount> busy {};
            for (auto &[worker, intervals] : m_ranks) {
                totals.ranks.push_back(takeRank(worker, intervals, busy));
            }
            std::ranges::sort(totals.ranks, {}, &RankTotal::rank);
            for (std::size_t role = 0; role < core::RoleCount; ++role) {
                if (busy[role] > 0) {
                    totals.roles.push_back({ static_cast<core::Role>(role), busy[role] });
                }
            }
            return totals;
        }

    private:
        void addName(core::NameId name, core::Role role, core::TimeRange cut)
        {
            NameTotal &total = m_names[name.value];
            total.role = role;
            ++total.count;
            total.sumNs += std::max<std::int64_t>(0, cut.durationNs());
            total.longestNs = std::max(total.longestNs, cut.durationNs());
        }

        void takeNames(AreaTotals &totals)
        {
            for (auto &[name, total] : m_names) {
                total.name = QString::fromStdString(m_reader.nameOf(core::NameId(name)));
                totals.names.push_back(std::move(total));
            }
            std::ranges::sort(totals.names, [](const NameTotal &a, const NameTotal &b) {
                return a.sumNs != b.sumNs ? a.sumNs > b.sumNs : a.name < b.name;
            });
        }

        RankTotal takeRank(std::uint32_t worker, RankIntervals &intervals,
                           std::array<std::int64_t, core::RoleCount> &busy) const
        {
            std::vector<core::TimeRange> compute, all;
            for (std::size_t role = 0; role < core::RoleCount; ++role) {
                const auto &of = intervals.byRole[role];
                const bool isComm = static_cast<core::Role>(role) == core::Role::Communication;
                if (isCompute(static_cast<core::Role>(role))) {
                    compute.insert(compute.end(), of.begin(), of.end());
                }
                if (isComm || isCompute(static_cast<core::Role>(role))) {
                    all.insert(all.end(), of.begin(), of.end());
                }
            }
            RankTotal rank;
            rank.rank = m_reader.info().workers[worker].rank;
            for (std::size_t role = 0; role < core::RoleCount; ++role) {
                const std::int64_t length = unionNs(intervals.byRole[role]);
                busy[role] += length;
                if (static_cast<core::Role>(role) == core::Role::Communication) {
                    rank.commNs = length;
                }
            }
            rank.computeNs = unionNs(compute);
            const std::int64_t either = unionNs(all);
            rank.exposedCommNs = either - rank.computeNs;
            rank.idleNs = m_range.durationNs() - either;
            return rank;
        }

        const core::ProjectReader &m_reader;
        ClockMap m_clocks;
        core::TimeRange m_range;
        std::unordered_map<std::uint32_t, NameTotal> m_names;
        std::map<std::uint32_t, RankIntervals> m_ranks; ///< by WorkerId
    };

} // namespace

std::int64_t unionNs(std::vector<core::TimeRange> &intervals)
{
    std::ranges::sort(intervals, {}, &core::TimeRange::startNs);
    std::int64_t length = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (const core::TimeRange &interval : intervals) {
        if (interval.endNs > end) {
            length += interval.endNs - std::max(end, interval.startNs);
            end = interval.endNs;
        }
    }
    return length;
}

AreaTotals areaTotals(const std::filesystem::path &project,
                      const std::vector<core::TrackId> &tracks, core::TimeRange range,
                      const core::JobControl &control)
{
    const core::ProjectReader reader(project);
    Adder adder(reader, range);
    for (const core::TrackId track : tracks) {
        adder.noteTrack(reader.info().tracks[track.value]);
    }
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        core::throwIfCancelled(control);
        adder.addTrack(reader.info().tracks[tracks[i].value]);
        control.report(static_cast<double>(i + 1) / static_cast<double>(tracks.size()), "totals");
    }
    return adder.take();
}

} // namespace ui
