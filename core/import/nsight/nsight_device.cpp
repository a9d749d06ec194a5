#include "core/import/nsight/nsight_device.h"

#include "core/import/checked_index.h"

#include <array>

namespace core {

namespace {

    constexpr std::string_view KernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
    constexpr std::string_view CopyTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
    constexpr std::string_view SetTable = "CUPTI_ACTIVITY_KIND_MEMSET";
    constexpr std::string_view GraphTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    constexpr std::string_view MemoryTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";

    enum CommonColumns { Start, End, Process, Device, Context, Stream, Correlation, FirstOwn };

    /// ENUM_CUDA_MEMCPY_OPER, in the words of CUPTI's other reader.
    std::string_view copyName(std::int64_t kind)
    {
        constexpr std::array Names = { std::string_view("Memcpy"),
                                       std::string_view("Memcpy HtoD"),
                                       std::string_view("Memcpy DtoH"),
                                       std::string_view("Memcpy HtoA"),
                                       std::string_view("Memcpy AtoH"),
                                       std::string_view("Memcpy AtoA"),
                                       std::string_view("Memcpy AtoD"),
                                       std::string_view("Memcpy DtoA"),
                                       std::string_view("Memcpy DtoD"),
                                       std::string_view("Memcpy HtoH"),
                                       std::string_view("Memcpy PtoP"),
                                       std::string_view("Unified Memory HtoD"),
                                       std::string_view("Unified Memory DtoH"),
                                       std::string_view("Unified Memory DtoD") };
        return kind > 0 && kind < static_cast<std::int64_t>(Names.size())
            ? Names[static_cast<std::size_t>(kind)]
            : Names.front();
    }

    /// {"grid": [1, 2, 3]} piece by piece; what the row lacks is left out.
    class ArgsText
    {
    public:
        explicit ArgsText(std::string &text)
            : m_text(text)
        {
            m_text = "{";
        }
        void add(std::string_view key, std::optional<std::int64_t> value)
        {
            if (value)
                begin(key).append(std::to_string(*value));
        }
        void addTriple(std::string_view key, const NsightRow &row, int firstColumn)
        {
            if (!row.number(firstColumn))
                return;
            begin(key).append("[");
            for (int i = 0; i < 3; ++i) {
                m_text.append(i > 0 ? ", " : "");
                m_text.append(std::to_string(row.number(firstColumn + i).value_or(1)));
            }
            m_text.append("]");
        }
        void end() { m_text.append("}"); }

    private:
        std::string &begin(std::string_view key)
        {
            m_text.append(m_text.size() > 1 ? ", \"" : "\"");
            return m_text.append(key).append("\": ");
        }

        std::string &m_text;
    };

    /// Operations that NCCL carries out with its one kernel for sends and receives.
    bool isMadeOfTransfers(std::string_view kind)
    {
        return kind == "send" || kind == "recv" || kind == "send_recv" || kind == "all_to_all"
            || kind == "gather" || kind == "scatter";
    }

} // namespace

void NsightDeviceReader::read()
{
    readTable(KernelTable,
              { "demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX",
                "blockY", "blockZ", "registersPerThread", "staticSharedMemory",
                "dynamicSharedMemory", "graphNodeId" },
              &NsightDeviceReader::addKernel);
    readTable(CopyTable,
              { "bytes", "copyKind", "srcDeviceId", "dstDeviceId", "srcKind", "dstKind" },
              &NsightDeviceReader::addCopy);
    readTable(SetTable, { "bytes", "value" }, &NsightDeviceReader::addSet);
    readTable(GraphTable, { "graphId", "graphExecId" }, &NsightDeviceReader::addGraph);
    readMemory();
}

void NsightDeviceReader::readTable(std::string_view table, std::vector<std::string_view> own,
                                   void (NsightDeviceReader::*add)(const NsightRow &,
                                                                   const Activity &))
{
    std::vector<std::string_view> columns { "start",     "end",      "globalPid",    "deviceId",
                                            "contextId", "streamId", "correlationId" };
    columns.insert(columns.end(), own.begin(), own.end());
    m_context.db.forEachRow(table, columns, [&](const NsightRow &row) {
        if (const std::optional<Activity> activity = activityOf(table, row))
            (this->*add)(row, *activity);
    });
}

std::optional<NsightDeviceReader::Activity> NsightDeviceReader::activityOf(std::string_view table,
                                                                           const NsightRow &row)
{
    const std::optional<std::int64_t> process = row.number(Process);
    const std::optional<WorkerId> worker = m_workers.countedWorker(table, process);
    const auto range = m_context.rangeOf(table, row.number(Start), row.number(End));
    if (!range || !worker)
        return std::nullopt;
    return Activity { *range,
                      m_tracks.stream(*worker, TrackKind::Stream,
                                      m_context.gpuOf(*process, row.number(Device)),
                                      row.number(Context).value_or(0), row.number(Stream)),
                      nsightProcessOf(*process), row.natural(Correlation).value_or(0) };
}

void NsightDeviceReader::addSlice(const Activity &activity, SliceRecord &record)
{
    record.startNs = activity.range.startNs;
    record.durationNs = activity.range.durationNs();
    record.correlation = activity.correlation;
    record.args = m_args.size() > 2 ? std::string_view(m_args) : std::string_view();
    m_context.sink.slice(activity.track, record);
}

void NsightDeviceReader::addKernel(const NsightRow &row, const Activity &activity)
{
    enum Columns {
        Demangled = FirstOwn,
        Short,
        Mangled,
        Grid,
        Block = Grid + 3,
        Registers = Block + 3,
        StaticShared,
        DynamicShared,
        GraphNode
    };
    const NsightKernelName &name
        = m_names.find(row.number(Demangled), row.number(Short), row.number(Mangled));
    if (!name.isKnown)
        m_context.countUnknownName(KernelTable);
    SliceRecord record;
    record.name = name.name;
    record.category = name.isCommunication ? Category::CommKernel : Category::Kernel;
    CollectiveInfo collective;
    if (describeCollective(name, activity, collective, record.bytes))
        record.collective = &collective;
    ArgsText args(m_args);
    args.addTriple("grid", row, Grid);
    args.addTriple("block", row, Block);
    args.add("registers per thread", row.number(Registers));
    args.add("static shared memory", row.number(StaticShared));
    args.add("dynamic shared memory", row.number(DynamicShared));
    args.add("graph node", row.number(GraphNode));
    args.end();
    addSlice(activity, record);
}

bool NsightDeviceReader::describeCollective(const NsightKernelName &name, const Activity &activity,
                                            CollectiveInfo &collective, std::uint64_t &bytes)
{
    if (!name.isCommunication)
        return false;
    collective.kind = name.collective;
    const NcclLaunch *launch = m_nccl.launchOf(activity.process, activity.correlation);
    if (launch == nullptr)
        return true;
    const bool isTransfer = name.collective == "send_recv" || name.collective == "other";
    if (isTransfer && isMadeOfTransfers(launch->kind)) {
        collective.kind = launch->kind;
    } else if (!launch->kind.empty() && name.collective != "other"
               && launch->kind != name.collective) {
        m_context.count("nccl-mismatch", Severity::Info,
                        "communication kernels whose launching NCCL call is of another kind than "
                        "the kernel were kept without size and communicator");
        return true;
    }
    bytes = launch->bytes;
    m_group = communicatorName(launch->communicator);
    collective.group = m_group;
    if (launch->communicator)
        collective.groupSize = m_nccl.groupSize(activity.process, *launch->communicator);
    return true;
}

void NsightDeviceReader::addCopy(const NsightRow &row, const Activity &activity)
{
    enum Columns { Bytes = FirstOwn, Kind, FromDevice, ToDevice, FromMemory, ToMemory };
    SliceRecord record;
    record.name = m_context.sink.intern(copyName(row.number(Kind).value_or(0)));
    record.category = Category::Memcpy;
    record.bytes = row.natural(Bytes).value_or(0);
    ArgsText args(m_args);
    args.add("from device", m_context.gpuOf(activity.process, row.number(FromDevice)));
    args.add("to device", m_context.gpuOf(activity.process, row.number(ToDevice)));
    args.add("from memory kind", row.number(FromMemory));
    args.add("to memory kind", row.number(ToMemory));
    args.end();
    addSlice(activity, record);
}

void NsightDeviceReader::addSet(const NsightRow &row, const Activity &activity)
{
    enum Columns { Bytes = FirstOwn, Value };
    SliceRecord record;
    record.name = m_context.sink.intern("Memset");
    record.category = Category::Memset;
    record.bytes = row.natural(Bytes).value_or(0);
    ArgsText args(m_args);
    args.add("value", row.number(Value));
    args.end();
    addSlice(activity, record);
}

/// A graph that was recorded as a whole (--cuda-graph-trace=graph) fills its stream like a kernel.
void NsightDeviceReader::addGraph(const NsightRow &row, const Activity &activity)
{
    enum Columns { Graph = FirstOwn, Executable };
    SliceRecord record;
    record.name
        = m_context.sink.intern("CUDA graph " + std::to_string(row.number(Graph).value_or(0)));
    record.category = Category::Kernel;
    ArgsText args(m_args);
    args.add("executable graph", row.number(Executable));
    args.end();
    addSlice(activity, record);
    m_context.count("whole-graphs", Severity::Info,
                    "CUDA graphs were recorded as wholes: kernels inside of them, communication "
                    "included, are not seen. Record with --cuda-graph-trace=node");
}

void NsightDeviceReader::readMemory()
{
    m_context.db.forEachRow(
        MemoryTable,
        { "start", "globalPid", "deviceId", "address", "bytes", "memoryOperationType" },
        [this](const NsightRow &row) { addMemory(row); });
}

void NsightDeviceReader::addMemory(const NsightRow &row)
{
    enum Columns { At, Owner, OnDevice, Address, Bytes, Operation };
    constexpr std::int64_t Allocation = 0, Release = 1;
    const std::optional<WorkerId> worker = m_workers.countedWorker(MemoryTable, row.number(Owner));
    const auto range = m_context.rangeOf(MemoryTable, row.number(At), row.number(At));
    const auto bytes = row.number(Bytes);
    const auto operation = row.number(Operation);
    const bool isKnown = operation == Allocation || operation == Release;
    if (!worker || !range)
        return;
    if (!bytes || *bytes < 0 || !isKnown) {
        m_context.count("bad-memory-row", Severity::Error,
                        "allocations and releases without a size, or of neither kind, were left "
                        "out. Export the report again");
        return;
    }
    MemoryEvent event;
    event.timeNs = range->startNs;
    event.device = checkedIndex(m_context.gpuOf(*row.number(Owner), row.number(OnDevice)));
    event.address = static_cast<std::uint64_t>(row.number(Address).value_or(0));
    event.deltaBytes = operation == Allocation ? *bytes : -*bytes;
    m_context.sink.memory(*worker, event);
}

} // namespace core
