#include "core/change/transfers/compression_change.h"

#include "core/change/checked_factor.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/insertions.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfer_obstacles.h"
#include "core/change/transfers/transfers.h"
#include "core/measure/bounded_time.h"
#include "core/measure/exact_text.h"
#include "core/measure/gradient_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

namespace core {

namespace {

    constexpr std::string_view RatioKey = "compression", CostKey = "compression_ns_per_byte";
    constexpr double CheckedRatio = 2;

    constexpr std::array<ChangeTraits, 2> CompressionTraits { {
        { .key = RatioKey,
          .unit = "times fewer bytes",
          .least = 1,
          .most = 1e6,
          .group = ChangeGroup::Gradients,
          .effects = effect::Gradients,
          .title = "Compression",
          .hint = "Times fewer bytes of gradients; 2 is half precision",
          .slider = { 1, 64, 2, 1, false, " \u00d7" },
          .numerics = Numerics::Reduced },
        { .key = CostKey,
          .unit = "ns per byte of a gradient, there and back",
          .least = 0,
          .most = 1e6,
          .group = ChangeGroup::Gradients,
          .effects = effect::Gradients,
          .title = "Cost of compression",
          .hint = "Converting a byte of a gradient, there and back",
          .slider = { 0.01, 100, 1, 2, false, " ns/B" },
          .numerics = Numerics::Reduced },
    } };

    /// Bytes passed over for half precision (PyTorch's fp16_compress_hook): an element is converted
    /// before it is sent (4 bytes read, 2 written) and back afterwards (2, 4).
    constexpr double ConvertedBytes = 6;
    /// Bytes that a copy of an element out of its bucket passes over (4, 4).
    constexpr double CopiedBytes = 8;
    constexpr double ElementBytes = 4;

    /// Half-precision elements are divided by the number of ranks before they are sent. Processors
    /// without arithmetic of that kind are bound by it: PyTorch 1.13's aten::div_ on an x86 core,
    /// of 5,340,736 elements, 12.1 ms (a job of the test bed that ran with the hook). Accelerators
    /// pass over memory once more (2, 2).
    constexpr double HostDivisionNs = 2.27, DividedBytes = 4;

    /// Where no copy is recorded: what one core of a server copies, and the memory of the oldest
    /// accelerator that jobs still run on. J. McCalpin, STREAM, single-thread results (about 10
    /// GB/s); NVIDIA Tesla V100 datasheet, 900 GB/s.
    constexpr double HostNsPerByte = 0.1, AcceleratorNsPerByte = 1 / 900.0;

    /// Time of converting a byte of a gradient, ns.
    struct ConversionCost
    {
        double beforeNs = 0, afterNs = 0;
        std::string source; ///< a note
    };

    /// Half-precision arithmetic costs a processor up to so many times more or less than taken: as
    /// little as memory where it has instructions for it, and more on cores slower than that one.
    constexpr double UnknownCost = 3;

    bool hasHostRanks(const Graph &graph)
    {
        const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
        return std::find(isAccelerated.begin(), isAccelerated.end(), false) != isAccelerated.end();
    }

    /// Time of passing over a byte of memory, ns, by the copies of gradients out of their buckets.
    /// 0: none is recorded.
    double measuredNsPerByte(const Graph &graph)
    {
        double ns = 0, bytes = 0;
        for (const GradientStep &step : graph.gradientSteps)
            for (std::size_t i = 0; i < step.copies.size(); ++i) {
                ns += static_cast<double>(graph.durationNs[step.copies[i].value]);
                bytes += static_cast<double>(step.parameterBytes[i]);
            }
        return bytes > 0 ? ns / bytes * ElementBytes / CopiedBytes : 0;
    }

    ConversionCost conversionCost(const Graph &graph, const Strategy &strategy)
    {
        const bool isOnHost = hasHostRanks(graph);
        double nsPerByte = measuredNsPerByte(graph);
        std::string source = "by the time that copying them out of their buckets took";
        if (nsPerByte <= 0) {
            nsPerByte = isOnHost ? HostNsPerByte : AcceleratorNsPerByte;
            source = isOnHost ? "at 10 GB/s of a core's memory (STREAM)"
                              : "at 900 GB/s of memory (NVIDIA V100)";
        }
        ConversionCost cost;
        const double divisionNs = isOnHost ? HostDivisionNs : nsPerByte * DividedBytes;
        cost.beforeNs = (nsPerByte * ConvertedBytes + divisionNs) / ElementBytes;
        cost.afterNs = nsPerByte * ConvertedBytes / ElementBytes;
        if (const auto given = strategy.number(CostKey)) {
            const double scale = *given / (cost.beforeNs + cost.afterNs);
            cost = { scale * cost.beforeNs, scale * cost.afterNs, {} };
            source = "as given";
        }
        const double roundedNs = std::round(1e3 * (cost.beforeNs + cost.afterNs)) / 1e3;
        cost.source = "Converting gradients takes " + exactText(roundedNs) + " ns per byte, "
            + source + ".";
        return cost;
    }

    /// How fast the ranks' processors add and divide half-precision numbers is not recorded.
    bool isCostUnknown(const DoubtEvidence &evidence)
    {
        const Strategy &strategy = evidence.strategy;
        return strategy.number(RatioKey).value_or(1) > 1 && !strategy.has(CostKey)
            && hasHostRanks(evidence.job.graph);
    }

    /// Bytes of gradients that are converted before and after a collective.
    struct ConvertedGradients
    {
        double before = 0, after = 0;
    };

    /// Between the halves of an all-reduce they stay as they are sent.
    ConvertedGradients convertedOf(const Graph &graph, const CollectiveNode &node)
    {
        const auto bytes = static_cast<double>(node.bytes);
        if (graph.isPredicted(node.transfer) && node.name == "reduce_scatter")
            return { bytes, 0 };
        if (graph.isPredicted(node.transfer) && node.name == "all_gather")
            return { 0, bytes * static_cast<double>(node.rankCount()) };
        return { bytes, bytes };
    }

    /// Puts the conversions of gradients around their collectives.
    class ConversionOps
    {
    public:
        ConversionOps(const Graph &graph, ConversionCost cost, const JobControl &control)
            : m_graph(graph)
            , m_cost(std::move(cost))
            , m_insertions(graph, control)
            , m_compress(m_insertions.intern("compress gradients"))
            , m_decompress(m_insertions.intern("decompress gradients"))
        {
        }

        void add(const CollectiveNode &node, const ConvertedGradients &bytes)
        {
            for (const CollectiveNode::Part &part : node.parts) {
                const OpId sender = senderOf(part);
                if (sender != NoOp && m_cost.beforeNs * bytes.before > 0)
                    addBefore(sender, part, bytes.before);
                if (m_cost.afterNs * bytes.after > 0)
                    addAfter(node, part, bytes.after);
            }
        }

        Graph build() { return m_insertions.build(); }

    private:
        /// Behind what it waits for of its own rank: the gradient's kernel, the thread that hands
        /// it over.
        OpId senderOf(const CollectiveNode::Part &part) const
        {
            OpId sender = NoOp;
            const auto rankOf = [this](const Edge &edge) {
                const Device &device = m_graph.devices[m_graph.device[edge.op.value].value];
                const bool isData = edge.kind == EdgeKind::Data || edge.kind == EdgeKind::Sync;
                return std::tuple(!device.isLink && !device.isBackend, isData, edge.op.value);
            };
            std::optional<Edge> best;
            for (const Edge &edge : m_graph.predecessors(part.ready))
                if (m_graph.worker[edge.op.value] == part.worker
                    && (!best || rankOf(*best) < rankOf(edge)))
                    best = edge;
            if (best && std::get<0>(rankOf(*best)))
                sender = best->op;
            return sender;
        }

        OpSpec spec(NameId name, DeviceId device, const CollectiveNode::Part &part, double ns) const
        {
            OpSpec op;
            op.name = name;
            op.device = device;
            op.kind = OpKind::Compute;
            op.phase = Phase::Backward;
            op.worker = part.worker;
            op.iteration = m_graph.iteration[part.ready.value];
            op.durationNs = boundedNs(ns);
            return op;
        }

        /// `bytes`: of the gradients before compression. Several buckets that one op hands over are
        /// converted one after the other.
        void addBefore(OpId sender, const CollectiveNode::Part &part, double bytes)
        {
            const auto [entry, isNew] = m_before.try_emplace(sender, NoOp);
            if (isNew)
                entry->second = m_insertions.add(
                    sender,
                    spec(m_compress, m_graph.device[sender.value], part, m_cost.beforeNs * bytes));
            else
                m_insertions.op(entry->second).durationNs += boundedNs(m_cost.beforeNs * bytes);
        }

        void addAfter(const CollectiveNode &node, const CollectiveNode::Part &part, double bytes)
        {
            m_insertions.addForRank(
                node.completionOf(part),
                spec(m_decompress, converterOf(part.worker), part, m_cost.afterNs * bytes));
        }

        /// The backend's thread or stream that goes on when a collective has ended.
        DeviceId converterOf(WorkerId worker)
        {
            const auto [entry, isNew] = m_converters.try_emplace(worker);
            if (isNew) {
                Device device;
                device.name = "decompression";
                device.worker = worker;
                device.isStream = acceleratedWorkers(m_graph)[worker.value];
                device.isBackend = true;
                entry->second = m_insertions.addDevice(std::move(device));
            }
            return entry->second;
        }

        const Graph &m_graph;
        ConversionCost m_cost;
        Insertions m_insertions;
        NameId m_compress, m_decompress;
        std::map<OpId, OpId> m_before; ///< by sender
        std::map<WorkerId, DeviceId> m_converters;
    };

    class CompressionChange : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return CompressionTraits; }
        Stage stage() const override { return Stage::Transfers; }

        std::string contradiction(const Strategy &strategy) const override
        {
            return strategy.has(CostKey) && !strategy.has(RatioKey)
                ? "compression_ns_per_byte is the cost of compression: give compression, too."
                : std::string();
        }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            if (!reducesGradients(job.graph))
                return rebucketObstacle(job.graph).value_or(
                    "no collective is known to reduce gradients.");
            return reductionCostObstacle(job.graph, job.trace, job.links);
        }

        void apply(Rewriting &rewriting) const override
        {
            const double ratio = rewriting.strategy().number(RatioKey).value_or(1);
            if (ratio == 1)
                return;
            const Graph &graph = rewriting.graph();
            const std::vector<bool> areOfGradients = gradientCollectives(graph);
            LinkChanges changes;
            for (const bool isOfGradients : areOfGradients)
                changes.payloadScale.push_back(isOfGradients ? 1 / ratio : 1);
            const Graph sent = rewriteTransfers(graph, rewriting.trace(), rewriting.links(),
                                                changes, rewriting.partitions);
            const ConversionCost cost = conversionCost(rewriting.recorded(), rewriting.strategy());
            ConversionOps conversions(sent, cost, rewriting.control());
            for (std::size_t i = 0; i < areOfGradients.size(); ++i)
                if (areOfGradients[i])
                    conversions.add(sent.collectives[i], convertedOf(graph, graph.collectives[i]));
            Graph converted = conversions.build();
            converted.notes.push_back(cost.source);
            rewriting.set(std::move(converted));
        }

        std::optional<Change> nearestChecked(const MeasuredJob &,
                                             const Change &change) const override
        {
            return change.key == RatioKey ? clampedTo(change, 1, CheckedRatio) : change;
        }

        std::vector<TrustReason> doubts(const DoubtEvidence &evidence) const override
        {
            std::vector<TrustReason> found;
            const double ratio = evidence.strategy.number(RatioKey).value_or(1);
            if (auto doubt
                = beyondChecked(ratio, CheckedRatio,
                                "Gradients of " + factorText(ratio) + " times fewer bytes"))
                found.push_back(std::move(*doubt));
            if (isCostUnknown(evidence))
                found.push_back({ TrustLevel::Fair,
                                  "How fast these processors add and divide half-precision numbers "
                                  "is not recorded. Give compression_ns_per_byte where it is "
                                  "known." });
            return found;
        }

        std::vector<OtherReading> otherReadings(const DoubtEvidence &evidence) const override
        {
            std::vector<OtherReading> readings;
            if (!isCostUnknown(evidence))
                return readings;
            const ConversionCost cost = conversionCost(evidence.job.graph, evidence.strategy);
            for (const double factor : { 1 / UnknownCost, UnknownCost }) {
                Strategy other = evidence.strategy;
                other.set({ std::string(CostKey), factor * (cost.beforeNs + cost.afterNs) });
                readings.push_back({ .source = IntervalSource::Compute, .strategy = other });
            }
            return readings;
        }

        std::optional<std::string> memoryObstacle(const Change &change,
                                                  const Graph &) const override
        {
            if (change.key != RatioKey || change.number() == 1.0)
                return std::nullopt;
            return "when compressed copies of gradients are allocated and freed is not recorded. "
                   "Record a run with compression.";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> compressionChange()
{
    return std::make_unique<CompressionChange>();
}

} // namespace core
