#include "tests/core/import/kineto/kineto_text.h"

#include <QTest>

using tests::imported;
using tests::RecordingSink;
using tests::trace;

namespace {

class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 4096; }
};

std::string traceEvent(const std::string &category, const std::string &name, const std::string &tid,
                       int us, int durationUs, const std::string &args)
{
    return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": )"
        + (category == "kernel" ? "0" : "10") + R"(, "tid": )" + tid + R"(, "ts": )"
        + std::to_string(us) + R"(, "dur": )" + std::to_string(durationUs) + R"(, "args": {)" + args
        + "}}";
}

std::string hostOp(int us, const std::string &args)
{
    return traceEvent("cpu_op", "record_param_comms", "10", us, 40, args);
}

std::string launch(int us, int correlation)
{
    return traceEvent("cuda_runtime", "cudaLaunchKernelExC", "10", us, 5,
                      R"("correlation": )" + std::to_string(correlation));
}

std::string kernel(int us, const std::string &args,
                   const std::string &name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)")
{
    return traceEvent("kernel", name, "9", us, 10, args);
}

std::string correlation(int number)
{
    return R"("correlation": )" + std::to_string(number);
}

/// What the kernels carry, in the order of their rows.
std::string collectivesOf(const RecordingSink &sink)
{
    std::string all;
    std::istringstream lines(sink.text());
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  ") && line.find("comm_kernel") != std::string::npos) {
            const std::size_t bytes = line.find(" bytes=");
            const std::size_t call = line.find(" collective(");
            const std::size_t from = std::min(bytes, call);
            all += line.substr(from + 1, line.find(')', call) - from) + '\n';
        }
    return all;
}

std::string collectivesOf(const std::vector<std::string> &events)
{
    std::string all;
    for (const std::string &one : events)
        all += (all.empty() ? "" : ",\n") + one;
    return collectivesOf(imported(trace(all)));
}

const std::string Stated = R"("External id": 7, "Collective name": "allreduce", "dtype": "BFloat16",
    "In msg nelems": 1000, "Group size": 2, "Process Group Name": "3", "Seq": 41)";
const std::string Sized = R"("External id": 8,
    "Input Dims": [[[4, 2048, 4096], [8]], [], []], "Input type": ["TensorList", "Scalar", ""])";

} // namespace

/// Host ops (record_param_comms) that tell what a collective's kernel does not: the kernels were
/// stored without group, number and size.
class KinetoCollectiveCallsTest : public QObject
{
    Q_OBJECT

private slots:
    void aKernelHasWhatTheOpWithItsIdTells()
    {
        QCOMPARE(collectivesOf(
                     { hostOp(5, Stated), kernel(50, R"("External id": 7, "correlation": 5)") }),
                 std::string("bytes=2000 collective(all_reduce group=\"3\" seq=41 size=2)\n"));
    }

    void aKernelHasWhatTheOpAroundItsLaunchTells()
    {
        const std::string found = "bytes=67108880 collective(all_reduce group=\"\")\n";
        const std::string first = hostOp(5, Sized), second = launch(10, 5),
                          third = kernel(50, R"("External id": 5, "correlation": 5)");
        QCOMPARE(collectivesOf({ first, second, third }), found);
        // Held until the call is known.
        QCOMPARE(collectivesOf({ first, third, second }), found);
        QCOMPARE(collectivesOf({ third, first, second }), found);
    }

    void theInnermostOpCounts()
    {
        const std::string inner = traceEvent("cpu_op", "record_param_comms", "10", 8, 20, Stated);
        QCOMPARE(
            collectivesOf({ inner, hostOp(5, Sized), launch(10, 5), kernel(50, correlation(5)) }),
            std::string("bytes=2000 collective(all_reduce group=\"3\" seq=41 size=2)\n"));
        QCOMPARE(
            collectivesOf({ inner, hostOp(5, Sized), launch(30, 5), kernel(50, correlation(5)) }),
            std::string("bytes=67108880 collective(all_reduce group=\"\")\n"));
    }

    /// Before PyTorch 2.0 External id is the correlation, which is some op's id by chance.
    void anIdThatIsTheCorrelationIsNoLink()
    {
        QCOMPARE(collectivesOf(
                     { hostOp(5, Stated), kernel(50, R"("External id": 7, "correlation": 7)") }),
                 std::string("collective(all_reduce group=\"\")\n"));
        QCOMPARE(collectivesOf({ hostOp(5, Stated), launch(70, 5), kernel(90, correlation(5)) }),
                 std::string("collective(all_reduce group=\"\")\n"));
    }

    void whatTheKernelTellsItselfStays()
    {
        const std::string own = R"("Collective name": "allreduce", "dtype": "Float",
            "In msg nelems": 5, "Group size": 4, "Process Group Name": "dp")";
        QCOMPARE(collectivesOf({ hostOp(5, Stated), launch(10, 5),
                                 kernel(50, own + R"(, "correlation": 5)") }),
                 std::string("bytes=20 collective(all_reduce group=\"dp\" seq=41 size=4)\n"));
    }

    /// Size and number are the op's, of which there is one.
    void theSecondKernelOfAnOpHasItsGroupAlone()
    {
        QCOMPARE(collectivesOf({ hostOp(5, Stated), launch(10, 5), launch(20, 6),
                                 kernel(50, correlation(5)), kernel(70, correlation(6)) }),
                 std::string("bytes=2000 collective(all_reduce group=\"3\" seq=41 size=2)\n"
                             "collective(all_reduce group=\"3\" size=2)\n"));
    }

    /// Sends count otherwise at both ends; `coalesced` is a name of many.
    void anOpOfATransferNamesNoCollective()
    {
        for (const char *name : { "send", "coalesced" })
            QCOMPARE(collectivesOf({ hostOp(5,
                                            R"("Collective name": ")" + std::string(name)
                                                + R"(", "Process Group Name": "pp", "Seq": 3)"),
                                     launch(10, 5),
                                     kernel(50, correlation(5), "ncclDevKernel_SendRecv(x)") }),
                     std::string("collective(send_recv group=\"pp\")\n"));
    }

    /// Before ops had names, the all-to-alls of these kernels were sends and receives of nobody
    /// knew what.
    void sendsHaveTheKindOfTheTitleAroundTheirLaunch()
    {
        const auto title = [](const std::string &name) {
            return traceEvent("user_annotation", name, "10", 6, 30, R"("External id": 8)");
        };
        const std::string op = hostOp(5, R"("External id": 7)"), call = launch(10, 5),
                          sends = kernel(50, correlation(5), "ncclDevKernel_SendRecv(x)"),
                          allToAll = title("nccl:all_to_all");
        const std::string found = "collective(all_to_all group=\"\")\n";
        QCOMPARE(collectivesOf({ op, allToAll, call, sends }), found);
        QCOMPARE(collectivesOf({ allToAll, op, call, sends }), found);
        QCOMPARE(collectivesOf({ sends, op, allToAll, call }), found);
        QCOMPARE(collectivesOf({ allToAll, call, sends }), found);
        QCOMPARE(collectivesOf({ op, title("nccl:scatter"), call, sends }),
                 std::string("collective(scatter group=\"\")\n"));
        const std::string unknown = "collective(send_recv group=\"\")\n";
        QCOMPARE(collectivesOf({ op, title("nccl:send 0->1"), call, sends }), unknown);
        QCOMPARE(collectivesOf({ op, allToAll, launch(40, 5), sends }), unknown);
        // Other kernels say best what they are: an uneven all-gather is made of broadcasts.
        QCOMPARE(collectivesOf({ op, title("nccl:all_gather"), call,
                                 kernel(50, correlation(5), "ncclDevKernel_Broadcast_RING(x)") }),
                 std::string("collective(broadcast group=\"\")\n"));
    }

    void beyondTheMemoryItIsSaid()
    {
        std::string events;
        for (int i = 0; i < 20; ++i)
            events += hostOp(100 * i, Stated) + "," + launch(100 * i + 10, i + 1) + ","
                + kernel(100 * i + 50, correlation(i + 1)) + ",";
        tests::MemoryEntry entry(trace(events + launch(9000, 99)));
        SmallSink sink;
        tests::importer().read(entry, sink, {});
        const std::string found = collectivesOf(sink);
        QCOMPARE(std::count(found.begin(), found.end(), '\n'), 20);
        QVERIFY(found.find("seq=41") != std::string::npos);
        QVERIFY(found.find("group=\"\"") != std::string::npos);
        QVERIFY2(sink.diagnosticsText().find("too-many-collective-calls warning")
                     != std::string::npos,
                 sink.diagnosticsText().c_str());
    }

    /// A library's kernel with a name that says nothing is what the op is that launched it; copies
    /// that the op launches beside it are none.
    void kernelsOfUnknownNamesAreWhatTheirOpIs()
    {
        const auto op = [](const std::string &name, const std::string &args) {
            return traceEvent("cpu_op", name, "10", 5, 20, R"("External id": 7)" + args);
        };
        const std::string byId = R"("External id": 7, "correlation": 3)";
        QCOMPARE(collectivesOf({ op("my_lib::all_reduce", ""), kernel(50, byId, "k17") }),
                 std::string("collective(all_reduce group=\"\")\n"));
        QCOMPARE(collectivesOf({ op("record_param_comms",
                                    R"(, "Collective name": "allreduce", )"
                                    R"("Process Group Name": "3")"),
                                 kernel(50, byId, "k17") }),
                 std::string("collective(all_reduce group=\"3\")\n"));
        for (const char *helper :
             { "void at::native::elementwise_kernel<128>(x)", "CatArrayBatchedCopy" })
            QCOMPARE(collectivesOf({ op("my_lib::all_reduce", ""), kernel(50, byId, helper) }),
                     std::string());
        QCOMPARE(collectivesOf({ op("aten::mm", ""), kernel(50, byId, "k17") }), std::string());
    }

    /// MTIA writes waits, copies and computation under one category; all were computation.
    void whatAnMtiaStreamDoesIsToldByItsName()
    {
        const auto activity = [](const std::string &name, int us, const std::string &args) {
            return traceEvent("mtia_ccp_events", name, "3774", us, 5, args);
        };
        const RecordingSink sink
            = imported(trace(activity("pe_exe", 10, R"("stream": 108)") + ","
                             + activity("event_wait", 20, R"("stream": 108, "wait_on_stream": 104)")
                             + "," + activity("dma_request", 30, R"("stream": 108, "size": 1024)")
                             + "," + activity("event_record", 40, R"("stream": 108)")));
        const std::string text = sink.text();
        const auto lineOf = [&text](const std::string &name) {
            const std::size_t at = text.find('"' + name + '"');
            const std::size_t begin = text.rfind('\n', at) + 1;
            return text.substr(begin, text.find(" args", at) - begin);
        };
        QCOMPARE(lineOf("pe_exe"), std::string("  10000+5000 kernel \"pe_exe\""));
        QCOMPARE(
            lineOf("event_wait"),
            std::string("  20000+5000 sync \"event_wait\" sync( wait_on_stream=104 stream=108 )"));
        QCOMPARE(lineOf("dma_request"),
                 std::string("  30000+5000 memcpy \"dma_request\" bytes=1024"));
        QCOMPARE(lineOf("event_record"), std::string("  40000+5000 sync \"event_record\""));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(KinetoCollectiveCallsTest)
#include "tst_kineto_collective_calls.moc"
