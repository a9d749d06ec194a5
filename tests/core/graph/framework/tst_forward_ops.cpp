#include "core/graph/build/host_ops.h"
#include "core/graph/framework/forward_ops.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Two forward passes whose ops have the same numbers (a program that begins to count anew), with
/// the backward pass behind the second one, and a third forward pass behind that. The parameter of
/// `linear` is used inside of `block`.
constexpr const char *Passes = R"(
rank 0
iteration 0 0 200
thread main
aten::linear 0 10 autograd=5 phase=forward
block 20 20 phase=forward
aten::linear 25 10 autograd=5 phase=forward
aten::relu 40 5 autograd=6 phase=forward
aten::linear 120 10 autograd=5 phase=forward
thread backward
autograd::engine::evaluate_function:~AddmmBackward0 60 10 autograd=5 phase=backward
autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad 75 5 phase=backward
)";

/// The worker's host ops; the trace must outlive it.
GraphContext cutHost(const Trace &trace)
{
    GraphContext context(trace);
    context.workers.resize(1);
    for (const Iteration &iteration : trace.iterations)
        context.workers[0].iterations.push_back(iteration.range);
    context.workers[0].window = context.workers[0].iterations.front();
    addHostOps(context, traitsOfNames(trace), WorkerId(0));
    return context;
}

/// Of the last slice of the backward thread.
std::optional<OpId> forwardOfLast(const GraphContext &context)
{
    const Track &backward = context.trace.tracks.back();
    return ForwardOps(context, WorkerId(0), nullptr).of(backward, backward.sliceCount - 1);
}

} // namespace

/// Which op of the forward pass first uses a parameter.
class ForwardOpsTest : public QObject
{
    Q_OBJECT

private slots:
    void itIsTheLastBeforeTheGradientWithTheNodesNumber();
    void withoutANumberItIsNotKnown();
    void aNodeFarAwayIsAnother();
};

void ForwardOpsTest::itIsTheLastBeforeTheGradientWithTheNodesNumber()
{
    const Trace trace = tests::traceFromText(Passes);
    const GraphContext context = cutHost(trace);
    const auto forward = forwardOfLast(context);
    QVERIFY(forward.has_value());
    // Ops are whole slices: the one that the linear layer is inside of.
    const OpSpec &op = context.builder.op(*forward);
    QCOMPARE(QString::fromStdString(trace.nameOf(op.name)), QStringLiteral("block"));
    QCOMPARE(op.measuredStartNs, std::int64_t { 20'000 });
}

void ForwardOpsTest::withoutANumberItIsNotKnown()
{
    Trace trace = tests::traceFromText(Passes);
    SliceColumns &backward = trace.slices.back();
    const auto setFirst = [&sequence = backward.sequence](std::uint64_t number) {
        std::vector<std::uint64_t> numbers = sequence.values(0, sequence.size());
        numbers.front() = number;
        sequence.clear();
        sequence.append(numbers);
    };
    setFirst(9); // no op of the forward pass has it
    QVERIFY(!forwardOfLast(cutHost(trace)));
    setFirst(0);
    QVERIFY(!forwardOfLast(cutHost(trace)));
    backward.sequence.clear(); // read for times only
    QVERIFY(!forwardOfLast(cutHost(trace)));
}

/// A parameter's gradient is accumulated right after its node: what is farther away is of another.
void ForwardOpsTest::aNodeFarAwayIsAnother()
{
    for (const int between : { 60, 70 }) {
        std::string text = "rank 0\n"
                           "iteration 0 0 1000\n"
                           "thread main\n"
                           "aten::linear 0 10 autograd=5 phase=forward\n"
                           "thread backward\n"
                           "autograd::engine::evaluate_function:~AddmmBackward0 20 1 autograd=5 "
                           "phase=backward\n";
        for (int i = 0; i < between; ++i)
            text += "aten::add " + std::to_string(30 + i) + " 1 phase=backward\n";
        text += "autograd::engine::evaluate_function:~torch::autograd::AccumulateGrad 500 5 "
                "phase=backward\n";
        const Trace trace = tests::traceFromText(text);
        QCOMPARE(forwardOfLast(cutHost(trace)).has_value(), between == 60);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ForwardOpsTest)
#include "tst_forward_ops.moc"
