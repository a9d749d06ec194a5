#pragma once

#include "core/base/time_range.h"
#include "core/import/chrome/chrome_event.h"
#include "core/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// A communication kernel that waits for the host op that tells what it carries.
struct HeldKernel
{
    std::int64_t startNs = 0, durationNs = 0;
    std::string text; ///< the whole event, padded for scanning
};

/// The host ops `record_param_comms` of one file, by which PyTorch tells group, number, size and
/// type of a collective, and which of them launched a kernel. Kernels tell these themselves only in
/// newer versions, and not all of them. A kernel's op is the innermost one that encloses the call
/// with the kernel's correlation, else the one with its External id.
///
/// Older versions give such an op no name: the annotation within ("nccl:all_to_all"), its title,
/// tells what the sends and receives of one kernel (SendRecv) are made for.
///
/// An op or a title stands before its calls in the file, be it sorted by time or not: calls are
/// asked for their op as they come, and only those that have one are kept.
class KinetoCollectiveCalls
{
public:
    /// mostBytes: that it may hold.
    explicit KinetoCollectiveCalls(std::size_t mostBytes)
        : m_mostBytes(mostBytes)
    {
    }
    KinetoCollectiveCalls(const KinetoCollectiveCalls &) = delete;
    KinetoCollectiveCalls &operator=(const KinetoCollectiveCalls &) = delete;

    static bool isCall(const ChromeEvent &event) { return event.name == "record_param_comms"; }
    /// Of an event on the host.
    static bool isTitle(const ChromeEvent &event) { return event.name.starts_with(TitlePrefix); }
    bool empty() const { return m_threads.empty(); }
    /// An op that is named after a collective (see collectiveOfOp()), whose kernels are that
    /// collective's. False if too much is held already: it was not taken.
    bool addOp(WorkerId worker, const ChromeEvent &event);
    /// False if too much is held already: it was not taken.
    bool addCall(WorkerId worker, const ChromeEvent &event, TimeRange range);
    /// False as above.
    bool addTitle(const ChromeEvent &event, TimeRange range);
    /// A call of the runtime or driver, which may launch a kernel. False as above.
    bool addLaunch(WorkerId worker, const ChromeEvent &event, std::int64_t startNs);

    /// Whether the event is a kernel of a collective that does not tell all that an op could.
    bool isIncomplete(const ChromeEvent &event) const;
    /// Names the collective of a kernel with a name that is not known, by the op that launched it
    /// and came before it; false where that is none.
    bool nameByOp(WorkerId worker, ChromeEvent &kernel) const;
    /// Gives an incomplete kernel what its op tells and it does not; false if its op is not known.
    /// A second kernel of the same op gets the group alone. The views that it sets live as long as
    /// this object.
    bool complete(WorkerId worker, ChromeEvent &kernel);

    /// False if too much is held already: `kernel` was not taken.
    bool hold(HeldKernel kernel);
    /// All held kernels; none are left.
    std::vector<HeldKernel> take();

private:
    struct Call
    {
        std::string name, group, dtype, inputDims, inputTypes; ///< as written
        std::optional<std::int64_t> sequence, groupSize, inElements;
        bool hasKernel = false;
    };
    template <class T>
    using ByStart = std::multimap<std::int64_t, std::pair<std::int64_t, T>>; ///< end and what
    struct Thread ///< raw clock
    {
        ByStart<Call *> calls;
        ByStart<std::string_view> titles; ///< their kinds, see collectiveKind()
    };
    /// Of a kernel.
    struct Origin
    {
        Call *call = nullptr;
        std::string_view title; ///< its kind; empty for none
    };
    using Link = std::pair<WorkerId, std::uint64_t>;
    static constexpr std::string_view TitlePrefix = "nccl:";

    bool takeRoom(std::size_t sizeBytes);
    template <class T>
    static T enclosing(const ByStart<T> &byStart, std::int64_t timeNs);
    Thread &threadOf(const ChromeEvent &event);
    Origin originOf(WorkerId worker, const ChromeEvent &kernel) const;
    static void nameCollective(const Origin &origin, ChromeEvent &kernel);

    const std::size_t m_mostBytes;
    std::size_t m_heldBytes = 0;
    std::deque<Call> m_calls; ///< addresses stay
    bool m_hasSequences = false; ///< one of them
    std::map<std::string, Thread, std::less<>> m_threads; ///< by process and thread, as written
    std::string m_threadKey; ///< of the thread that was asked for last
    std::map<Link, Origin> m_byCorrelation;
    std::map<Link, Call *> m_byExternalId;
    std::map<Link, std::string_view> m_ops; ///< kinds of collectives by External id
    std::vector<HeldKernel> m_held;
};

} // namespace core
