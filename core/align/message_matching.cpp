#include "core/align/message_matching.h"

#include "core/align/sequence_matching.h"
#include "core/align/step_windows.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace core {

namespace {

    /// What repeats: transaction, channel, and the ranks from and to where both ends know them.
    using Family = std::tuple<std::string_view, int, int, int>;
    using EndsByWorker = std::map<WorkerId, CallSequence>;

    struct Ends
    {
        EndsByWorker sent, received;
    };

    constexpr int Unknown = -1;
    constexpr const char *Sends = "sends", *Receives = "receives";

    Family familyOf(const TransferCall &transfer, int rank)
    {
        const int peer = transfer.peer.value_or(Unknown);
        const bool isKnown = transfer.peer.has_value();
        const int from = transfer.isSend ? rank : peer, to = transfer.isSend ? peer : rank;
        return { transfer.transaction, transfer.channel.value_or(Unknown), isKnown ? from : Unknown,
                 isKnown ? to : Unknown };
    }

    std::map<Family, Ends> familiesOf(const Trace &trace, const SliceIndex &slices)
    {
        std::map<Family, Ends> families;
        for (std::size_t i = 0; i < trace.transfers.size(); ++i) {
            const TransferCall &transfer = trace.transfers[i];
            if (!slices.find(transfer.slice))
                continue;
            Ends &ends = families[familyOf(transfer, trace.workers[transfer.worker.value].rank)];
            (transfer.isSend ? ends.sent : ends.received)[transfer.worker].push_back(
                { i, slices.startNs(transfer.slice), slices.endNs(transfer.slice) });
        }
        for (auto &entry : families)
            for (EndsByWorker *ends : { &entry.second.sent, &entry.second.received })
                for (auto &worker : *ends)
                    std::stable_sort(worker.second.begin(), worker.second.end(),
                                     [](const TimedCall &a, const TimedCall &b) {
                                         return a.startNs < b.startNs;
                                     });
        return families;
    }

    /// The ends of all messages between two workers: both directions share the offset of the
    /// clocks, so they are matched together. Entry k of `first` and of `second` is one family.
    struct PairEnds
    {
        std::vector<CallSequence> first, second;
        std::vector<bool> isFirstSender;
    };
    using EndsByPair = std::map<std::pair<WorkerId, WorkerId>, PairEnds>;

    /// Matches that leave no choice: every family has one message.
    bool areSingle(const std::vector<CallSequence> &sequences)
    {
        return std::all_of(sequences.begin(), sequences.end(),
                           [](const CallSequence &sequence) { return sequence.size() == 1; });
    }

    /// Counts ends that stay alone, by what they are.
    class LeftOut
    {
    public:
        void add(std::size_t call, const std::string &what)
        {
            ++m_entries.try_emplace(what, Entry { 0, call }).first->second.count;
        }
        void add(const EndsByWorker &ends, const std::string &what)
        {
            for (const auto &worker : ends)
                for (const TimedCall &end : worker.second)
                    add(end.call, what);
        }
        void note(const Trace &trace, const SliceIndex &slices,
                  std::vector<std::string> &notes) const
        {
            for (const auto &[what, entry] : m_entries) {
                const TransferCall &first = trace.transfers[entry.first];
                notes.push_back(std::to_string(entry.count) + " " + what
                                + " have no other end in the trace and are left out; first: '"
                                + slices.name(first.slice) + "' of rank "
                                + std::to_string(trace.workers[first.worker.value].rank) + ".");
            }
        }

    private:
        struct Entry
        {
            std::size_t count = 0, first = 0;
        };
        std::map<std::string, Entry> m_entries;
    };

    /// Either rank may have begun recording later or ended earlier.
    void leaveOutAlone(const PairEnds &ends, const std::vector<std::vector<bool>> &isFirstMatched,
                       const std::vector<std::vector<std::optional<std::size_t>>> &rows,
                       LeftOut &leftOut)
    {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const char *ofFirst = ends.isFirstSender[k] ? Sends : Receives;
            const char *ofSecond = ends.isFirstSender[k] ? Receives : Sends;
            for (std::size_t i = 0; i < isFirstMatched[k].size(); ++i)
                if (!isFirstMatched[k][i])
                    leftOut.add(ends.first[k][i].call, ofFirst);
            for (std::size_t i = 0; i < rows[k].size(); ++i)
                if (!rows[k][i])
                    leftOut.add(ends.second[k][i].call, ofSecond);
        }
    }

    void matchPair(const PairEnds &ends, const std::optional<OffsetWindow> &window,
                   std::vector<MatchedMessage> &matched, LeftOut &leftOut)
    {
        using Rows = std::vector<std::vector<std::optional<std::size_t>>>;
        const Rows rows = areSingle(ends.first) && areSingle(ends.second)
            ? Rows(ends.second.size(), { std::size_t { 0 } })
            : matchSequences(ends.first, ends.second, window);
        std::vector<std::vector<bool>> isFirstMatched;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            isFirstMatched.emplace_back(ends.first[k].size(), false);
            for (std::size_t i = 0; i < rows[k].size(); ++i) {
                if (!rows[k][i])
                    continue;
                isFirstMatched[k][*rows[k][i]] = true;
                const std::size_t first = ends.first[k][*rows[k][i]].call;
                const std::size_t second = ends.second[k][i].call;
                matched.push_back(ends.isFirstSender[k] ? MatchedMessage { first, second }
                                                        : MatchedMessage { second, first });
            }
        }
        leaveOutAlone(ends, isFirstMatched, rows, leftOut);
    }

} // namespace

std::vector<MatchedMessage> matchMessages(const Trace &trace, std::vector<std::string> &notes,
                                          const JobControl &control)
{
    const SliceIndex slices(trace);
    EndsByPair byPair;
    LeftOut leftOut;
    for (auto &[family, ends] : familiesOf(trace, slices)) {
        if (ends.sent.size() != 1 || ends.received.size() != 1) {
            leftOut.add(ends.sent, Sends);
            leftOut.add(ends.received, Receives);
            continue;
        }
        auto &[sender, sent] = *ends.sent.begin();
        auto &[receiver, received] = *ends.received.begin();
        if (sender == receiver)
            continue;
        const bool isFirstSender = sender < receiver;
        PairEnds &pair = byPair[std::minmax(sender, receiver)];
        pair.isFirstSender.push_back(isFirstSender);
        pair.first.push_back(std::move(isFirstSender ? sent : received));
        pair.second.push_back(std::move(isFirstSender ? received : sent));
    }
    const StepWindows windows(trace);
    std::vector<MatchedMessage> matched;
    std::size_t done = 0;
    for (const auto &[pair, ends] : byPair) {
        throwIfCancelled(control);
        control.report(static_cast<double>(done++) / static_cast<double>(byPair.size()),
                       "matching messages");
        matchPair(ends, windows.between(pair.first, pair.second), matched, leftOut);
    }
    leftOut.note(trace, slices, notes);
    return matched;
}

} // namespace core
