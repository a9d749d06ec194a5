#pragma once

#include "core/import/category_counts.h"
#include "core/import/nccl/nccl_event_ranks.h"
#include "core/import/nccl/nccl_event_tree.h"
#include "core/import/nccl/nccl_names.h"
#include "core/import/row_cache.h"
#include "core/model/trace_sink.h"

#include <map>
#include <optional>
#include <string>

namespace core {

/// Gives the events of one dump of NCCL's example profiler plug-in to a sink.
class NcclEventTranslator
{
public:
    /// The sink must outlive the translator.
    NcclEventTranslator(TraceSink &sink, std::string file);

    void addTree(const NcclEventTree &tree);
    /// A record of the source that belongs to no event.
    void countRecord(const std::string &category);
    /// After the last tree: counts, and what the file does not say.
    void finish();

private:
    /// The collective or the send or receive that the current event belongs to.
    struct Operation
    {
        std::size_t end = 0; ///< index after its last event
        std::string communicator, label; ///< label: "AllReduce 3", "p2p 0"
        int rank = 0;
    };
    /// The network operation of one channel that the current step belongs to.
    struct ProxyOp
    {
        std::size_t end = 0;
        std::optional<int> channel, peer, steps;
        std::uint64_t bytes = 0; ///< of all its steps
        bool isSend = false;
        std::string row;
    };
    struct Place
    {
        const NcclEventTree &tree;
        std::size_t index;
        WorkerId worker;
        const NcclEvent &event() const { return tree[index]; }
    };
    using Handler = void (NcclEventTranslator::*)(const Place &);

    static Handler handlerOf(const NcclEvent &event);
    void addCollective(const Place &place);
    void addPointToPoint(const Place &place);
    void addKernelChannel(const Place &place);
    void addProxy(const Place &place);
    void addStep(const Place &place);
    void addHostCall(const Place &place);
    void addCopyEngine(const Place &place);
    void addOther(const Place &place);

    std::string transactionOf(const Place &place, int step);
    void storeOnDevice(const Place &place, SliceRecord record);
    void store(const Place &place, const TrackSpec &spec, const std::string &rowName,
               SliceRecord record);
    void storeTimed(const Place &place, const TrackSpec &spec, const std::string &rowName,
                    SliceRecord record);
    void noteMissing(const char *code, const NcclEvent &event, const char *message);

    TraceSink &m_sink;
    std::string m_file;
    NcclEventRanks m_ranks;
    std::map<WorkerId, CategoryCounts> m_counts;
    NcclPointToPoint m_pointToPoint;
    RowCache m_rows;
    CategoryCounts m_strays; ///< records of no event
    Operation m_operation;
    ProxyOp m_proxyOp;
};

} // namespace core
