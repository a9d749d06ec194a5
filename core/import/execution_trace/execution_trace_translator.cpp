#include "core/import/execution_trace/execution_trace_translator.h"

#include "core/import/execution_trace/execution_trace_importer.h"
#include "core/import/kineto/kineto_categories.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::string_view ProcessGroups = "process_group:init";
    constexpr std::size_t LargestGroupList = 4 * 1024 * 1024; ///< of all lists of a file, in bytes

    /// About what a map takes for an id, and how many of them there are: nodes, pending ones,
    /// tensors.
    constexpr std::size_t BytesPerNodeId = 48, IdMaps = 3;

    /// RecordScope of PyTorch, by number.
    constexpr std::array ScopeNames = {
        std::string_view("function"),
        std::string_view("backward_function"),
        std::string_view("torchscript_function"),
        std::string_view("kernel_function_dtype"),
        std::string_view("custom_class"),
        std::string_view("build_feature"),
        std::string_view("lite_interpreter"),
        std::string_view("user_scope"),
        std::string_view("static_runtime_op"),
        std::string_view("static_runtime_model"),
    };

    std::uint64_t keyOf(const ExecutionTraceNode &node)
    {
        return node.recordFunction.value_or(executionTraceNodeKey(node.id));
    }

    std::uint64_t tensorBytesOf(std::string_view values)
    {
        std::uint64_t bytes = 0;
        forEachTensor(values, [&bytes](const TensorValue &value) {
            if (__builtin_add_overflow(bytes, value.bytes, &bytes))
                bytes = ~std::uint64_t { 0 };
        });
        return bytes;
    }

} // namespace

ExecutionTraceTranslator::ExecutionTraceTranslator(TraceSink &sink, std::string file)
    : m_sink(sink)
    , m_file(std::move(file))
    , m_worker(sink.addWorker())
    , m_mostIds(std::min(MaximumIds, sink.importerBytes() / IdMaps / BytesPerNodeId))
    , m_flow(m_mostIds)
{
}

void ExecutionTraceTranslator::addNode(const ExecutionTraceNode &node, std::uint64_t offset)
{
    countNode(node);
    if (node.name.find(ProcessGroups) != std::string_view::npos)
        noteProcessGroups(node, offset);
    const std::uint64_t key = keyOf(node);
    if (m_keys.size() >= m_mostIds) {
        countLeftOut(offset);
        if (key != 0 && !node.start.empty())
            addSlice(node, key, offset);
        return;
    }
    if (!m_keys.emplace(node.id, key).second) {
        m_sink.diagnostics().count(
            "duplicate-node", Severity::Error, { m_file, offset },
            "nodes whose id occurred before were left out: the file is two "
            "traces in one, or damaged. Give each trace a file of its own, or "
            "record again");
        return;
    }
    const auto waiting = m_pending.find(node.id);
    if (waiting != m_pending.end()) {
        for (const Pending &pending : waiting->second) {
            if (key != 0)
                m_sink.dependency(m_worker, { pending.kind, DependencyKey::Node, key, pending.to });
        }
        m_pendingCount -= waiting->second.size();
        m_pending.erase(waiting);
    }
    if (key == 0)
        return; // a process or a thread
    if (node.stream.empty())
        m_names.add(key, cleanString(node.name));
    if (node.stream.empty() && !m_collectives.add(node, key))
        m_sink.diagnostics().count(
            "too-many-collectives", Severity::Warning, { m_file, offset },
            "the trace has more collectives than are kept for the Kineto trace of the same run: "
            "size and group of further ones come from that one alone. Record fewer iterations");
    if (node.parent != 0)
        addDependency(DependencyKind::Control, node.parent, key, offset);
    addListed(node.syncDependencies, key, offset);
    addListed(node.threadDependencies, key, offset);
    // A linked trace repeats the tensors of an op at the kernels that it launched.
    if (node.stream.empty()) {
        for (const std::uint64_t source : m_flow.add(node))
            addDependency(DependencyKind::Data, source, key, offset);
    }
    if (!node.start.empty())
        addSlice(node, key, offset);
}

void ExecutionTraceTranslator::countLeftOut(std::uint64_t offset)
{
    m_sink.diagnostics().count(
        "too-many-nodes", Severity::Error, { m_file, offset },
        "the trace has more nodes than the import may remember (" + std::to_string(m_mostIds)
            + "); dependencies of the further ones were left out. Import "
              "again with a larger --memory-limit (longpole import), or record fewer "
              "iterations");
}

void ExecutionTraceTranslator::addDependency(DependencyKind kind, std::uint64_t fromNode,
                                             std::uint64_t toKey, std::uint64_t offset)
{
    const auto known = m_keys.find(fromNode);
    if (known == m_keys.end()) {
        if (m_pendingCount >= m_mostIds) {
            countLeftOut(offset);
            return;
        }
        m_pending[fromNode].push_back({ toKey, kind });
        ++m_pendingCount;
    } else if (known->second != 0) {
        m_sink.dependency(m_worker, { kind, DependencyKey::Node, known->second, toKey });
    }
}

/// An id or a list of ids.
void ExecutionTraceTranslator::addListed(std::string_view ids, std::uint64_t key,
                                         std::uint64_t offset)
{
    const auto add = [this, key, offset](std::string_view id) {
        if (const auto number = json::naturalIn(id))
            addDependency(DependencyKind::Sync, *number, key, offset);
    };
    if (!json::forEachElement(ids, add))
        add(ids);
}

void ExecutionTraceTranslator::addSlice(const ExecutionTraceNode &node, std::uint64_t key,
                                        std::uint64_t offset)
{
    const auto startNs = nanosecondsFromMicroseconds(node.start);
    const auto durationNs = nanosecondsFromMicroseconds(node.duration);
    if (!startNs || !durationNs || *durationNs < 0) {
        m_sink.diagnostics().count(
            "bad-time", Severity::Error, { m_file, offset },
            "nodes whose \"ts\" or \"inclusive_dur\" is missing, negative or no number were left "
            "out of the timeline. Link the traces again");
        return;
    }
    const bool isDevice = !node.stream.empty();
    const KinetoCategory kind = kinetoCategory(isDevice && node.category.empty() ? "kernel"
                                                   : node.category.empty()       ? "cpu_op"
                                                                                 : node.category);
    SliceRecord record;
    record.startNs = *startNs;
    record.durationNs = *durationNs;
    record.category = kind.category;
    record.node = key;
    const std::string name = cleanString(node.name);
    record.name = m_sink.intern(name);
    CollectiveInfo collective;
    const auto kernel = isDevice ? communicationKernel(name) : std::nullopt;
    const std::string group = cleanString(node.group);
    if (kernel) {
        record.category = Category::CommKernel;
        collective.kind = collectiveKind(node.collective.empty() ? *kernel : node.collective);
        collective.group = group;
        record.collective = &collective;
    }
    if (!isDevice || kernel)
        record.bytes = tensorBytesOf(node.inputs);
    const std::string row = cleanString(isDevice ? node.stream : node.thread);
    const TrackKind track = isDevice ? TrackKind::Stream : kind.track;
    const TrackId id = m_sink.track(m_worker, { track, isDevice ? "device" : "host", row, {} });
    m_sink.nameTrack(id, (isDevice ? "stream " : "thread ") + row);
    m_sink.slice(id, record);
    ++m_sliceCount;
}

/// The node's only input is a string with a JSON list of the groups.
void ExecutionTraceTranslator::noteProcessGroups(const ExecutionTraceNode &node,
                                                 std::uint64_t offset)
{
    std::string text;
    json::forEachElement(node.inputs, [&text](std::string_view value) {
        if (text.empty() && value.front() == '"')
            text = cleanString(json::unquoted(value));
    });
    m_groupBytes += text.size();
    if (m_groupBytes > LargestGroupList) {
        m_sink.diagnostics().count("too-many-groups", Severity::Warning, { m_file, offset },
                                   "the lists of process groups are larger than 4 MiB: further "
                                   "ones were left out. The file is damaged, record again");
        return;
    }
    const auto groups = nlohmann::json::parse(text, nullptr, false);
    if (!groups.is_array())
        return;
    m_sink.metadata("process_groups", text);
    for (const auto &group : groups) {
        if (!group.is_object())
            continue;
        const auto description = group.find("pg_desc");
        if (description == group.end() || *description != "default_pg")
            continue;
        const auto size = group.find("group_size");
        if (size != group.end() && size->is_number_unsigned() && *size < 100'000'000U)
            m_info.worldSize = size->get<int>();
    }
}

void ExecutionTraceTranslator::countNode(const ExecutionTraceNode &node)
{
    std::string_view category = "none";
    if (!node.category.empty())
        category = node.category;
    else if (node.scope && *node.scope < ScopeNames.size())
        category = ScopeNames[static_cast<std::size_t>(*node.scope)];
    countCategory(m_counts, category);
}

void ExecutionTraceTranslator::finish()
{
    for (const auto &[category, count] : m_counts)
        m_sink.countEvents(m_worker, cleanString(category), count);
    m_sink.describeWorker(m_worker, m_info);
    m_names.deliver(m_sink);
    m_collectives.deliver(m_sink);
    reportAbsent();
}

void ExecutionTraceTranslator::reportAbsent()
{
    const auto count = [this](std::string_view code, Severity severity, std::uint64_t times,
                              std::string message) {
        if (times > 0)
            m_sink.diagnostics().add(
                { std::string(code), severity, times, m_file, std::nullopt, std::move(message) });
    };
    m_pending.erase(1); // the process, which some versions do not write
    std::uint64_t missing = 0;
    for (const auto &[node, pending] : m_pending)
        missing += pending.size();
    count("missing-node", Severity::Warning, missing,
          "dependencies on nodes that the file does not have were left out: it was cut, or was "
          "started while these ops ran. Record whole steps");
    count("no-times", Severity::Info, m_sliceCount == 0 ? 1 : 0,
          "an execution trace has no times, so that it adds dependencies and no slices. Times "
          "come from the Kineto trace of the same rank and run, in the same project");
    count(
        "too-many-tensors", Severity::Error, m_flow.isFull() ? 1 : 0,
        "the trace has more tensors than the import may remember (" + std::to_string(m_mostIds)
            + "); data dependencies of the further ones were left out. Import again with a larger "
              "--memory-limit (longpole import), or record fewer iterations");
}

} // namespace core
