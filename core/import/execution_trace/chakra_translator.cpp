#include "core/import/execution_trace/chakra_translator.h"

#include "core/import/checked_index.h"
#include "core/import/execution_trace/execution_trace_importer.h"
#include "core/import/text/clean_text.h"

#include <limits>

namespace core {

namespace {

    constexpr std::array TypeNames = {
        std::string_view("INVALID_NODE"),   std::string_view("METADATA_NODE"),
        std::string_view("MEM_LOAD_NODE"),  std::string_view("MEM_STORE_NODE"),
        std::string_view("COMP_NODE"),      std::string_view("COMM_SEND_NODE"),
        std::string_view("COMM_RECV_NODE"), std::string_view("COMM_COLL_NODE"),
    };

    /// CollectiveCommType of Chakra's schema, by number.
    constexpr std::array CollectiveNames = {
        std::string_view("all_reduce"),     std::string_view("reduce"),
        std::string_view("all_gather"),     std::string_view("gather"),
        std::string_view("scatter"),        std::string_view("broadcast"),
        std::string_view("all_to_all"),     std::string_view("reduce_scatter"),
        std::string_view("reduce_scatter"), // REDUCE_SCATTER_BLOCK
        std::string_view("barrier"),
    };

    /// About what a map or the list of pending dependencies takes for an entry, and how many of
    /// them there are.
    constexpr std::size_t BytesPerId = 64, IdSets = 4;

    bool isTransfer(ChakraNodeType type)
    {
        return type == ChakraNodeType::Send || type == ChakraNodeType::Receive;
    }

    bool isCommunication(ChakraNodeType type)
    {
        return isTransfer(type) || type == ChakraNodeType::Collective;
    }

    Category categoryOf(const ChakraNode &node)
    {
        if (isCommunication(node.type))
            return node.isOnHost ? Category::CommOp : Category::CommKernel;
        if (node.type == ChakraNodeType::MemoryLoad || node.type == ChakraNodeType::MemoryStore)
            return Category::Memcpy;
        if (node.type == ChakraNodeType::Compute)
            return node.isOnHost ? Category::CpuOp : Category::Kernel;
        return Category::Other;
    }

    std::optional<std::int64_t> nanoseconds(std::uint64_t microseconds)
    {
        std::int64_t ns = 0;
        if (microseconds > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
            || __builtin_mul_overflow(static_cast<std::int64_t>(microseconds), 1000, &ns))
            return std::nullopt;
        return ns;
    }

    std::optional<int> peerOf(const ChakraNode &node)
    {
        return checkedIndex(node.type == ChakraNodeType::Send ? node.destination : node.source);
    }

} // namespace

ChakraTranslator::ChakraTranslator(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_worker(sink.addWorker())
    , m_mostIds(std::min(MaximumIds, sink.importerBytes() / IdSets / BytesPerId))
{
}

void ChakraTranslator::addNode(const ChakraNode &node, std::uint64_t offset)
{
    ++m_counts[static_cast<std::size_t>(node.type)];
    const std::uint64_t key = chakraNodeKey(node);
    if (m_keys.size() >= m_mostIds) {
        ++m_uncheckedCount;
    } else if (!m_keys.emplace(node.id, key).second) {
        ++m_duplicateCount;
        return;
    }
    if (node.isOnHost && key == node.recordFunction)
        m_names.add(key, cleanText(chakraOpName(node.name)));
    addDependencies(node, key);
    if (node.startUs)
        addSlice(node, offset);
    else if (node.type != ChakraNodeType::Metadata)
        ++m_untimedCount;
}

void ChakraTranslator::addDependencies(const ChakraNode &node, std::uint64_t key)
{
    for (const DependencyKind kind : { DependencyKind::Control, DependencyKind::Data }) {
        forEachDependency(node, kind, [&](std::uint64_t from) {
            const auto known = m_keys.find(from);
            if (known != m_keys.end()) {
                addDependency(kind, known->second, key);
            } else if (m_pending.size() < m_mostIds) {
                m_pending.push_back({ from, key, kind });
            } else {
                ++m_unjoinedCount;
                addDependency(kind, executionTraceNodeKey(from), key);
            }
        });
    }
}

/// Pieces of one op are in the order of their thread.
void ChakraTranslator::addDependency(DependencyKind kind, std::uint64_t fromKey,
                                     std::uint64_t toKey)
{
    if (fromKey != toKey)
        m_sink.dependency(m_worker, { kind, DependencyKey::Node, fromKey, toKey });
}

std::uint64_t ChakraTranslator::addPending()
{
    std::unordered_set<std::uint64_t> missing;
    for (const Pending &pending : m_pending) {
        const auto known = m_keys.find(pending.fromNode);
        const bool isKnown = known != m_keys.end();
        if (!isKnown)
            missing.insert(pending.fromNode);
        addDependency(pending.kind,
                      isKnown ? known->second : executionTraceNodeKey(pending.fromNode),
                      pending.toKey);
    }
    return missing.size();
}

void ChakraTranslator::addSlice(const ChakraNode &node, std::uint64_t offset)
{
    const auto startNs = nanoseconds(*node.startUs);
    const auto durationNs = nanoseconds(node.durationUs.value_or(0));
    if (!startNs || !durationNs) {
        m_sink.diagnostics().count("bad-time", Severity::Error, { m_file, offset },
                                   "nodes whose times are out of range were left out of the "
                                   "timeline. Convert the trace again");
        return;
    }
    SliceRecord record;
    record.startNs = *startNs;
    record.durationNs = *durationNs;
    record.name = m_sink.intern(cleanText(node.name));
    record.category = categoryOf(node);
    record.node = chakraNodeKey(node);
    record.bytes = node.bytes;
    CollectiveInfo collective;
    const std::string group = cleanText(node.group);
    if (node.type == ChakraNodeType::Collective) {
        const std::uint64_t kind = node.collectiveType.value_or(CollectiveNames.size());
        collective.kind = kind < CollectiveNames.size()
            ? CollectiveNames[static_cast<std::size_t>(kind)]
            : std::string_view("other");
        collective.group = group;
        record.collective = &collective;
    }
    TransferInfo transfer;
    const std::string transaction = isTransfer(node.type) ? transactionOf(node) : std::string();
    if (!transaction.empty()) {
        transfer.isSend = node.type == ChakraNodeType::Send;
        transfer.peer = peerOf(node);
        transfer.transaction = transaction;
        record.transfer = &transfer;
    }
    m_sink.slice(trackOf(node), record);
}

TrackId ChakraTranslator::trackOf(const ChakraNode &node)
{
    const std::uint64_t number = (node.isOnHost     ? node.thread
                                      : node.stream ? node.stream
                                                    : node.thread)
                                     .value_or(0);
    const std::string tid = std::to_string(number);
    const TrackKind kind = !node.isOnHost ? TrackKind::Stream
        : isCommunication(node.type)      ? TrackKind::Communication
                                          : TrackKind::HostThread;
    const TrackId track
        = m_sink.track(m_worker, { kind, node.isOnHost ? "host" : "device", tid, {} });
    m_sink.nameTrack(track, (node.isOnHost ? "thread " : "stream ") + tid);
    return track;
}

/// Both ends count the transfers of their pair of ranks and tag in the same order.
std::string ChakraTranslator::transactionOf(const ChakraNode &node)
{
    const std::uint64_t source = node.source.value_or(0);
    const std::uint64_t destination = node.destination.value_or(0);
    const std::uint64_t tag = node.tag.value_or(0);
    const std::tuple ends(source, destination, tag);
    if (m_transfers.size() >= m_mostIds && !m_transfers.contains(ends)) {
        ++m_untiedCount;
        return {};
    }
    const std::uint64_t number = m_transfers[ends]++;
    return std::to_string(source) + "->" + std::to_string(destination) + "/tag "
        + std::to_string(tag) + "/" + std::to_string(number);
}

void ChakraTranslator::finish()
{
    for (std::size_t type = 0; type < m_counts.size(); ++type) {
        if (m_counts[type] > 0)
            m_sink.countEvents(m_worker, TypeNames[type], m_counts[type]);
    }
    m_sink.describeWorker(m_worker, {});
    m_names.deliver(m_sink);
    const std::uint64_t missingCount = addPending();
    count("no-times", Severity::Info, m_untimedCount,
          "nodes without a start time add dependencies and no slices: they cannot be shown, "
          "aligned or replayed. Times come from the Kineto trace of the same run, in the same "
          "project");
    count("too-many-nodes", Severity::Warning, m_uncheckedCount,
          "nodes beyond those that the import may remember were not looked at for being missing or "
          "there twice, and what depends on them is not tied to the timeline. Import again with a "
          "larger --memory-limit (longpole import)");
    count("too-many-dependencies", Severity::Warning, m_unjoinedCount,
          "dependencies on nodes that come later, beyond those that the import may remember, are "
          "not tied to the timeline. Import again with a larger --memory-limit (longpole import)");
    count(
        "too-many-transfers", Severity::Warning, m_untiedCount,
        "sends and receives have more different ends and tags than the import may remember: "
        "further ones are slices, but are not tied to their other end. Import again with a larger "
        "--memory-limit (longpole import)");
    count("missing-node", Severity::Warning, m_uncheckedCount > 0 ? 0 : missingCount,
          "nodes that others depend on are not in the file; these dependencies lead nowhere. "
          "Convert the whole trace");
    count("duplicate-node", Severity::Error, m_duplicateCount,
          "nodes whose id occurred before were left out: the file is two traces in one, or "
          "damaged. Convert each trace to a file of its own");
}

void ChakraTranslator::count(std::string_view code, Severity severity, std::uint64_t times,
                             std::string_view message)
{
    if (times > 0)
        m_sink.diagnostics().add(
            { std::string(code), severity, times, m_file, std::nullopt, std::string(message) });
}

} // namespace core
