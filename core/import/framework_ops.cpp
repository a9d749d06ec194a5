#include "core/import/framework_ops.h"

#include "core/base/saturated_time.h"
#include "core/import/dpro/dpro_names.h"
#include "core/import/held_share.h"
#include "core/import/text/decimal_time.h"
#include "core/import/text/json_object.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace core {

namespace {

    constexpr std::string_view OpsThread = "TensorFlow Ops";
    constexpr std::size_t BytesPerRun = 16; ///< that finding iterations holds
    constexpr std::string_view CallPrefix = "StatefulPartitionedCall/";

    std::optional<std::int64_t> naturalMember(const nlohmann::json &args, const char *key)
    {
        const auto found = args.find(key);
        if (found == args.end())
            return std::nullopt;
        if (found->is_number_integer())
            return found->get<std::int64_t>();
        return found->is_string() ? integerFrom(found->get_ref<const std::string &>())
                                  : std::nullopt;
    }

    constexpr std::string_view MemoryPrefix = "Memory: ";

    /// "gpu/0", "cpu/0", "cpu pinned/0", "cpu_shared/0": few, whatever a file says.
    bool isMemoryPool(std::string_view pool)
    {
        const std::size_t slash = pool.find('/');
        const std::string_view kind = pool.substr(0, slash);
        const bool isKnown
            = kind == "gpu" || kind == "cpu" || kind == "cpu pinned" || kind == "cpu_shared";
        if (!isKnown || slash == std::string_view::npos)
            return false;
        const std::string_view digits = pool.substr(slash + 1);
        return digits.size() <= 4
            && digits.find_first_not_of("0123456789") == std::string_view::npos;
    }

    std::optional<int> deviceIn(std::string_view process, std::string_view word)
    {
        const std::size_t at = process.find(word);
        if (at == std::string_view::npos)
            return std::nullopt;
        std::string_view digits = process.substr(at + word.size());
        digits = digits.substr(0, digits.find_first_not_of("0123456789"));
        const auto number = digits.size() <= 4 ? integerFrom(digits) : std::nullopt;
        return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
    }

    /// The name by which the framework's graph knows the op.
    std::string opName(const ChromeSlice &slice, const nlohmann::json &args)
    {
        std::string name = textMember(args, "long_name");
        name = name.substr(0, name.find(':'));
        if (name.empty())
            name = textMember(args, "name");
        if (name.empty())
            name = slice.name;
        if (name.starts_with(CallPrefix))
            name = name.substr(CallPrefix.size());
        return std::string(parseDproName(name).standard);
    }

    bool isDproOp(std::string_view name)
    {
        const std::string_view category = parseDproName(name).category;
        return category == "FW" || category == "BW" || category.starts_with("UPDATE_")
            || category.starts_with("OUTPUT");
    }

    bool isOp(std::string_view category)
    {
        return category == "operator" || category == "Op" || category == "symbolic"
            || category == "imperative";
    }

    Category categoryOf(TrackKind row, std::string_view category)
    {
        if (row == TrackKind::Stream)
            return Category::Kernel;
        if (row == TrackKind::Annotation)
            return Category::UserAnnotation;
        if (category.find("API") != std::string_view::npos)
            return Category::Runtime;
        return isOp(category) ? Category::CpuOp : Category::UserAnnotation;
    }

} // namespace

void FrameworkOps::addMetadata(std::string_view name, std::string_view pid, std::string_view tid,
                               std::string_view args)
{
    if (name == "process_name")
        m_processes[std::string(pid)] = textMember(objectFrom(args), "name");
    else if (name == "thread_name")
        m_threads[{ std::string(pid), std::string(tid) }] = textMember(objectFrom(args), "name");
}

FrameworkOps::RowMeaning FrameworkOps::meaningOf(const Row &row, const ChromeSlice &slice) const
{
    const auto process = m_processes.find(row.first);
    const std::string_view name
        = process == m_processes.end() ? std::string_view() : process->second;
    const auto mxnet = deviceIn(name, "gpu/");
    const auto tensorFlow = deviceIn(name, "device:GPU:");
    const auto thread = m_threads.find(row);
    const bool isDerived = name.find("stream:") != std::string_view::npos
        || (tensorFlow && thread != m_threads.end() && thread->second != OpsThread);
    if (isDerived)
        return { TrackKind::Annotation, tensorFlow };
    if (mxnet || tensorFlow)
        return { TrackKind::Stream, mxnet ? mxnet : tensorFlow };
    return { isDproOp(slice.name) ? TrackKind::Stream : TrackKind::HostThread, std::nullopt };
}

TrackId FrameworkOps::trackOf(const Row &row, const RowMeaning &meaning)
{
    const auto &[pid, tid] = row;
    const TrackSpec spec { meaning.kind, pid, tid, meaning.device };
    if (const auto known = m_tracks.known(m_worker, spec))
        return *known;
    const auto process = m_processes.find(pid);
    const auto thread = m_threads.find(row);
    return m_tracks.row(m_worker, spec,
                        (process == m_processes.end() ? pid : process->second) + ", "
                            + (thread == m_threads.end() ? "thread " + tid : thread->second));
}

void FrameworkOps::addSlice(const ChromeSlice &slice)
{
    const Row row { slice.pid, slice.tid };
    const RowMeaning meaning = meaningOf(row, slice);
    const nlohmann::json args = objectFrom(slice.args);
    const std::string name = opName(slice, args);
    const TimeRange range { slice.startNs, slice.startNs + slice.durationNs };
    if (meaning.kind == TrackKind::Stream || isOp(slice.category)) {
        const auto step
            = args.contains("step") ? naturalMember(args, "step") : naturalMember(args, "group_id");
        m_hasSteps = m_hasSteps || step;
        if (step)
            m_steps.add(*step, range);
        else if (!m_hasSteps)
            addRun(name, range);
    }
    SliceRecord record;
    record.startNs = slice.startNs;
    record.durationNs = slice.durationNs;
    record.name = m_sink.intern(name);
    record.category = categoryOf(meaning.kind, slice.category);
    record.args = slice.args;
    m_sink.slice(trackOf(row, meaning), record);
}

void FrameworkOps::addCounter(std::string_view name, std::string_view args, std::int64_t timeNs)
{
    if (!name.starts_with(MemoryPrefix) || !isMemoryPool(name.substr(MemoryPrefix.size())))
        return;
    const auto used = naturalMember(objectFrom(args), std::string(name).c_str());
    if (!used || *used < 0)
        return;
    const std::string_view pool = name.substr(MemoryPrefix.size());
    std::int64_t &known = m_poolBytes[std::string(pool)];
    MemoryEvent event;
    event.timeNs = timeNs;
    event.device = deviceIn(pool, "gpu/");
    event.deltaBytes = *used - known;
    known = *used;
    std::int64_t &total = m_deviceBytes[event.device];
    total = saturatedSum(total, event.deltaBytes);
    event.allocatedBytes = static_cast<std::uint64_t>(std::max<std::int64_t>(total, 0));
    m_sink.memory(m_worker, event);
}

void FrameworkOps::addRun(std::string_view name, TimeRange range)
{
    if (m_runs >= heldShare(m_sink) / BytesPerRun) {
        m_sink.diagnostics().count(
            "runs-left-out", Severity::Warning, {},
            "no steps are marked, and more ops run than the import may hold to find iterations: "
            "those that begin later are not found. Import again with a larger --memory-limit "
            "(longpole import), or "
            "record fewer steps");
        return;
    }
    ++m_runs;
    m_rounds.add(m_sink.intern(name).value, range);
}

void FrameworkOps::finish(const ChromeSlices::Counts &counts)
{
    for (const auto &[category, count] : counts)
        m_sink.countEvents(m_worker, category, count);
    if (m_hasSteps) {
        m_steps.deliver(m_sink, m_worker);
        return;
    }
    const std::vector<TimeRange> iterations = m_rounds.iterations();
    for (std::size_t i = 0; i < iterations.size(); ++i)
        m_sink.iteration(m_worker, static_cast<std::int64_t>(i), iterations[i]);
}

} // namespace core
