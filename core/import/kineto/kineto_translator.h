#pragma once

#include "core/import/chrome/chrome_event_list.h"
#include "core/import/kineto/kineto_categories.h"
#include "core/import/kineto/kineto_clock.h"
#include "core/import/kineto/kineto_collective_calls.h"
#include "core/import/kineto/kineto_processes.h"
#include "core/import/kineto/kineto_ranks.h"
#include "core/import/kineto/kineto_transfers.h"
#include "core/import/text/json_scan.h"
#include "core/model/trace_sink.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Gives the events of one Kineto file to a sink as slices, and counts those that are none.
class KinetoTranslator : public ChromeEventConsumer
{
public:
    /// The references must outlive the translator.
    KinetoTranslator(TraceSink &sink, KinetoClock &clock, std::string file);

    void addEvent(const ChromeEvent &event, std::string_view text, std::uint64_t offset) override;
    void addOther(std::uint64_t offset) override;
    /// After the last event: counts, names, and what is missing. `groups`: of the file.
    void finish(const WorkerInfo &info, const KinetoGroupRanks &groups);

private:
    struct OpenSlice
    {
        std::string text; ///< the whole begin event, padded for scanning
        std::uint64_t offset = 0;
    };
    static std::size_t heldBytes(std::size_t textSize)
    {
        return sizeof(OpenSlice) + textSize + json::ScanPadding;
    }

    /// A complete event whose category its process may have to tell.
    void addNamed(const ChromeEvent &event, const KinetoCategory &kind, std::string_view text,
                  std::uint64_t offset);
    void addComplete(const ChromeEvent &event, const KinetoCategory &kind, std::string_view text,
                     std::uint64_t offset);
    void addSlice(const ChromeEvent &event, const KinetoCategory &kind, std::int64_t startNs,
                  std::int64_t durationNs, const TransferInfo *transfer = nullptr);
    /// `transfer` has times and offset. False if the event is no send or receive: it still has to
    /// be added.
    bool holdTransfer(const ChromeEvent &event, const KinetoCategory &kind, std::string_view text,
                      HeldTransfer transfer);
    void addHeldTransfers(std::optional<int> ownRank, const KinetoGroupRanks &groups);
    /// What a host op or a call tells of a collective's kernel.
    void noteCollectiveCall(const ChromeEvent &event, const KinetoCategory &kind, TimeRange range,
                            std::uint64_t offset);
    /// As addSlice(), of a collective's kernel that does not tell all of itself: with what its host
    /// op tells, at once or in the end. False if the event is no such kernel, and has to be added.
    bool addIncompleteKernel(const ChromeEvent &event, const KinetoCategory &kind,
                             std::string_view text, TimeRange range);
    void addHeldKernels();
    void beginSlice(const ChromeEvent &event, std::string_view text, std::uint64_t offset);
    void endSlice(const ChromeEvent &event, std::uint64_t offset);
    void noteLabel(const ChromeEvent &event, std::uint64_t offset);
    void addMemory(const ChromeEvent &event, std::uint64_t offset);
    NameId internName(const ChromeEvent &event);
    /// What a hand-written row tells of its collective; `carried` holds the tensor that it names.
    void addReduction(const ChromeEvent &event, WorkerId worker, CollectiveInfo &collective,
                      TensorId &carried);
    std::optional<std::int64_t> timeOf(std::string_view text);
    /// Of the file's name, where that names the process that the file is of; else empty.
    std::string hostFromName() const;
    /// Ops of several processes in a file of one rank.
    void reportProcesses();
    void reportUnknownDeviceWork();
    void reportAbsent();
    void count(std::string_view code, Severity severity, std::uint64_t offset,
               std::string_view message);

    TraceSink &m_sink;
    KinetoClock &m_clock;
    std::string m_file;
    KinetoRanks m_ranks;
    KinetoProcesses m_processes;
    KinetoTransfers m_transfers;
    KinetoCollectiveCalls m_calls;
    std::map<std::pair<std::string, std::string>, std::vector<OpenSlice>> m_open;
    std::size_t m_openCount = 0;
    std::size_t m_openBytes = 0; ///< of their texts
    std::string m_cleanArgs, m_cleanGroup;
};

} // namespace core
