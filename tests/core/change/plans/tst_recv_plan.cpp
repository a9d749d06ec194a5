#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/forward_order.h"
#include "core/change/plans/recv_plan.h"
#include "tests/core/change/plans/loaded_sample.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace core;

class RecvPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aProgramInOrderIsAChain();
    void tacSendsWhatIsUsedFirst();
    void ticDoesNotTellTheFirstTwoApart();
    void aBranchNeedsItsOwnTensors();
    void theLeastTimeOfAnOpStandsForIt();

private:
    RecvModel recvs(const Graph &graph, TimeOracle oracle = TimeOracle::Least) const
    {
        const auto shared = std::make_shared<const Graph>(graph);
        return forwardRecvs({ shared, *m_loaded.trace, m_links, {}, 0, {}, {} }, oracle);
    }
    using Sets = std::set<std::set<std::size_t>>;
    static Sets neededSets(const RecvModel &model)
    {
        std::vector<std::set<std::size_t>> sets;
        for (const RecvModel::Op &op : model.ops) {
            sets.emplace_back(op.recvs.begin(), op.recvs.end());
            if (op.after != RecvModel::NoOther)
                sets.back().insert(sets[op.after].begin(), sets[op.after].end());
        }
        return { sets.begin(), sets.end() };
    }
    /// Sets by definition, of a job on hosts: what an op uses, and what those before it need.
    Sets neededSets(const Graph &graph) const
    {
        std::map<OpId, std::set<std::size_t>> needs;
        Sets found;
        for (std::uint32_t i = 0; i < graph.size(); ++i) {
            if (graph.worker[i] != step().worker || graph.phase[i] != Phase::Forward
                || graph.iteration[i] != step().iteration)
                continue;
            std::set<std::size_t> needed;
            for (std::size_t tensor = 0; tensor < step().forwards.size(); ++tensor)
                if (useOf(tensor) == OpId(i))
                    needed.insert(tensor);
            for (const Edge &edge : graph.predecessors(OpId(i)))
                if (const auto before = needs.find(edge.op); before != needs.end())
                    needed.insert(before->second.begin(), before->second.end());
            if (needed.empty())
                continue;
            needs[OpId(i)] = needed;
            if (graph.kind[i] != OpKind::Virtual)
                found.insert(needed);
        }
        return found;
    }
    const GradientStep &step() const { return *usualStep(*m_loaded.graph); }
    /// By place in the forward pass the tensor.
    std::vector<std::size_t> tensorsByUse() const
    {
        const std::vector<std::int32_t> places = forwardOrder(*m_loaded.graph, step());
        std::vector<std::size_t> tensors(places.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            tensors[static_cast<std::size_t>(places[i])] = i;
        return tensors;
    }
    OpId useOf(std::size_t tensor) const { return step().forwards[tensor]; }

    LoadedProject m_loaded;
    LinkModels m_links;
};

void RecvPlanTest::initTestCase()
{
    m_loaded = tests::loadedSample();
    m_links = fitLinks(*m_loaded.graph, *m_loaded.trace);
}

/// Each op needs what those before it need and, at most, the tensors of one layer more.
void RecvPlanTest::aProgramInOrderIsAChain()
{
    const RecvModel model = recvs(*m_loaded.graph);
    QCOMPARE(model.recvTimes.size(), step().parameterBytes.size());
    QVERIFY(model.ops.size() > 3);
    std::size_t needed = model.ops.front().recvs.size();
    for (std::size_t i = 1; i < model.ops.size(); ++i) {
        QCOMPARE(model.ops[i].after, i - 1);
        needed += model.ops[i].recvs.size();
    }
    QCOMPARE(needed, model.recvTimes.size());
    QCOMPARE(neededSets(model), neededSets(*m_loaded.graph));
    for (std::size_t i = 0; i < model.recvTimes.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            QCOMPARE(model.recvTimes[i] < model.recvTimes[k],
                     step().parameterBytes[i] < step().parameterBytes[k]);
}

void RecvPlanTest::tacSendsWhatIsUsedFirst()
{
    const std::vector<std::size_t> order = tacOrder(recvs(*m_loaded.graph));
    for (std::size_t i = 1; i < order.size(); ++i)
        QVERIFY(useOf(order[i - 1]).value <= useOf(order[i]).value);
}

/// The first layer's tensors, and those of the second where the first layer has one tensor.
void RecvPlanTest::ticDoesNotTellTheFirstTwoApart()
{
    const std::vector<std::int32_t> priorities = ticPriorities(recvs(*m_loaded.graph));
    const std::vector<std::size_t> tensors = tensorsByUse();
    QCOMPARE(priorities[tensors[0]], 0);
    QCOMPARE(priorities[tensors[1]], 0);
    for (std::size_t i = 1; i < tensors.size(); ++i)
        QVERIFY(priorities[tensors[i - 1]] <= priorities[tensors[i]]);
    QVERIFY(priorities[tensors.back()] > 0);
}

/// An op that waits for nothing before it needs its own layer's tensors alone.
void RecvPlanTest::aBranchNeedsItsOwnTensors()
{
    Graph graph = *m_loaded.graph;
    const std::size_t tensor = tensorsByUse()[tensorsByUse().size() / 2];
    std::vector<std::size_t> ofLayer;
    for (std::size_t i = 0; i < step().forwards.size(); ++i)
        if (useOf(i) == useOf(tensor))
            ofLayer.push_back(i);
    const std::uint32_t op = useOf(tensor).value;
    const std::uint32_t count = graph.predOffset[op + 1] - graph.predOffset[op];
    QVERIFY(count > 0);
    const auto begin = graph.preds.begin() + graph.predOffset[op];
    graph.preds.erase(begin, begin + count);
    for (std::size_t i = op + 1; i < graph.predOffset.size(); ++i)
        graph.predOffset[i] -= count;
    const RecvModel model = recvs(graph);
    QCOMPARE(neededSets(model), neededSets(graph));
    QVERIFY(std::any_of(model.ops.begin(), model.ops.end(),
                        [&ofLayer](const RecvModel::Op &one) { return one.recvs == ofLayer; }));
}

/// One iteration is slow: by the least times nothing changes.
void RecvPlanTest::theLeastTimeOfAnOpStandsForIt()
{
    const auto sumNs = [this](const Graph &graph, TimeOracle oracle) {
        double sum = 0;
        for (const RecvModel::Op &op : recvs(graph, oracle).ops)
            sum += op.time;
        return sum;
    };
    Graph slow = *m_loaded.graph;
    for (std::uint32_t i = 0; i < slow.size(); ++i)
        if (slow.iteration[i] == step().iteration && slow.kind[i] != OpKind::Virtual)
            slow.durationNs[i] *= 10;
    const double leastNs = sumNs(*m_loaded.graph, TimeOracle::Least);
    const double meanNs = sumNs(*m_loaded.graph, TimeOracle::Mean);
    QVERIFY(leastNs > 0 && leastNs < meanNs);
    QVERIFY(sumNs(slow, TimeOracle::Mean) > 1.5 * meanNs);
    QVERIFY(sumNs(slow, TimeOracle::Least) < 1.1 * leastNs);
}

LONGPOLE_TEST(RecvPlanTest)
#include "tst_recv_plan.moc"
