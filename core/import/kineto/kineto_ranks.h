#pragma once

#include "core/import/chrome/chrome_event.h"
#include "core/import/kineto/kineto_categories.h"
#include "core/import/kineto/kineto_tracks.h"
#include "core/model/trace_sink.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct KinetoCategoryCount
{
    std::string name; ///< as written
    KinetoCategory kind;
    std::uint64_t count = 0;
};

/// One rank of a file: its rows, and its records by category.
class KinetoRank
{
public:
    /// `stated`: the rank that a label in the file gives to its processes. `heldBytes`: see
    /// KinetoTracks.
    KinetoRank(TraceSink &sink, std::optional<int> stated, std::size_t &heldBytes)
        : m_stated(stated)
        , m_worker(sink.addWorker())
        , m_tracks(sink, m_worker, heldBytes)
    {
    }

    KinetoRank(const KinetoRank &) = delete;
    KinetoRank &operator=(const KinetoRank &) = delete;

    std::optional<int> stated() const { return m_stated; }
    void setStated(int rank) { m_stated = rank; }
    WorkerId worker() const { return m_worker; }
    KinetoTracks &tracks() { return m_tracks; }
    const KinetoTracks &tracks() const { return m_tracks; }
    /// Categories that Kineto does not have share one past MaximumCategories.
    KinetoCategoryCount &categoryOf(const ChromeEvent &event);
    KinetoCategoryCount &categoryNamed(std::string_view name);
    const std::deque<KinetoCategoryCount> &categories() const { return m_categories; }
    /// An op of the framework, in the process `pid` (as written).
    void noteOp(std::string_view pid);
    /// The processes that ran a share of the ops worth speaking of, as written; a profiler records
    /// one. Ascending.
    std::vector<std::string> processesOfOps() const;

private:
    std::optional<int> m_stated;
    WorkerId m_worker;
    KinetoTracks m_tracks;
    std::deque<KinetoCategoryCount> m_categories; ///< addresses stay
    std::map<std::string_view, KinetoCategoryCount *> m_byName; ///< views of their own names
    std::array<KinetoCategoryCount *, 64> m_recent {}; ///< by a hash of the name
    std::map<std::string, std::uint64_t, std::less<>> m_opsByProcess; ///< at most MostOpProcesses
    std::map<std::string, std::uint64_t, std::less<>>::iterator m_process = m_opsByProcess.end();
};

/// The ranks of one file. Kineto's own files have one; a timeline of several ranks, such as an
/// exported one, labels its processes "rank 3".
class KinetoRanks
{
public:
    explicit KinetoRanks(TraceSink &sink)
        : m_sink(sink)
    {
    }

    /// The rank of the process `pid` (as written).
    KinetoRank &of(std::string_view pid) { return m_byPid.empty() ? own() : find(pid); }
    /// The rank of all processes without a label; it is there from the first time it is asked for.
    /// Where labels name ranks, it is the first of these: a part of the file without a rank would
    /// cost the whole file.
    KinetoRank &own();
    /// Whether labels name ranks, but none that of the process `pid`.
    bool lacksLabel(std::string_view pid) const
    {
        return !m_byPid.empty() && !m_byPid.contains(pid);
    }
    /// A label (process_labels) that names a rank: events of this process that follow are that
    /// rank's. False if the process has rows already, or if there are too many ranks: the label
    /// was ignored.
    bool noteLabel(const ChromeEvent &event);
    std::deque<KinetoRank> &all() { return m_ranks; }
    const std::deque<KinetoRank> &all() const { return m_ranks; }

private:
    KinetoRank &find(std::string_view pid);
    KinetoRank &stated(int rank);

    TraceSink &m_sink;
    std::size_t m_heldBytes = 0; ///< by the rows of all ranks
    std::deque<KinetoRank> m_ranks; ///< addresses stay
    KinetoRank *m_own = nullptr;
    std::map<std::string, KinetoRank *, std::less<>> m_byPid;
    std::map<int, KinetoRank *> m_byRank;
    std::string m_recentPid;
    KinetoRank *m_recent = nullptr; ///< of m_recentPid
};

} // namespace core
