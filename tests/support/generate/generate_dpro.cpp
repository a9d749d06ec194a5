#include "tests/support/generate/generate_dpro.h"

namespace tests {

namespace {

    constexpr int Ranks = 4;
    constexpr int LocalRanks = 2;
    constexpr int Iterations = 3;
    constexpr int RingSteps = 2 * (Ranks - 1);
    constexpr long EpochUs = 1'600'000'000'000'000;

    std::string number(long value)
    {
        return std::to_string(value);
    }

    /// `"key": value, ` for each pair; values as they stand.
    std::string object(const std::string &members)
    {
        return '{' + members + '}';
    }

    std::string complete(const std::string &name, const std::string &row, long startUs,
                         long durationUs, const std::string &args)
    {
        return object("\"ph\": \"X\", \"name\": \"" + name + "\", " + row
                      + ", \"ts\": " + number(startUs) + ", \"dur\": " + number(durationUs)
                      + ", \"args\": " + object(args));
    }

    void append(std::string &list, const std::string &event)
    {
        list += (list.empty() ? "" : ",\n") + event;
    }

    void addProcess(std::string &events, const std::string &pid, const std::string &name)
    {
        append(events,
               R"({"ph": "M", "name": "process_name", "pid": )" + pid + R"(, "args": {"name": ")"
                   + name + "\"}}");
    }

    /// A begin and an end event; `row` is pid and tid.
    void addPair(std::string &events, const std::string &name, const std::string &category,
                 const std::string &row, long us, long durationUs)
    {
        for (const bool isBegin : { true, false })
            append(events,
                   object("\"name\": \"" + name + "\", \"cat\": \"" + category + "\", \"ph\": \""
                          + (isBegin ? 'B' : 'E')
                          + "\", \"ts\": " + number(isBegin ? us : us + durationUs) + ", " + row));
    }

    std::string eventFile(const std::string &events)
    {
        return "{\"traceEvents\": [\n" + events + "\n], \"displayTimeUnit\": \"ms\"}\n";
    }

    long iterationUs(int iteration)
    {
        return EpochUs + 1000L * iteration;
    }

    /// Pushes and pulls of one part, which has a server of its own.
    void addExchange(std::string &events, int worker, int part)
    {
        const std::string there = number(4L * worker + 2L * part);
        const std::string back = number(4L * worker + 2L * part + 1);
        const std::string workerName = "worker_" + number(worker);
        const std::string serverName = "server_" + number(part);
        addProcess(events, there, workerName + " -> " + serverName);
        addProcess(events, back, serverName + " -> " + workerName);
        const std::string tensor = "Comm.grad_0~PART" + number(part);
        for (int round = 0; round < 2; ++round) {
            const long us = iterationUs(round);
            addPair(events, tensor + ".PUSH", "Comm", "\"tid\": 0, \"pid\": " + there, us, 100);
            addPair(events, tensor + ".PULL", "Comm", "\"tid\": 0, \"pid\": " + back, us + 300, 90);
        }
    }

    std::string computeFile(int local)
    {
        std::string events;
        append(events,
               R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "/device:GPU:)"
                   + number(local) + "\"}}");
        append(
            events,
            R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "TensorFlow Ops"}})");
        append(
            events,
            R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "Stream #20"}})");
        const auto op
            = [&events](const char *type, const std::string &name, long us, long durUs, int step) {
                  append(events,
                         complete(type, R"("pid": 1, "tid": 1)", us, durUs,
                                  "\"group_id\": " + number(step) + ", \"long_name\": \""
                                      + "StatefulPartitionedCall/" + name + ':' + type + '"'));
                  append(events, complete("kernel", R"("pid": 1, "tid": 2)", us, durUs - 1, ""));
              };
        for (int i = 0; i < Iterations; ++i) {
            op("MatMul", "model/dense/MatMul", iterationUs(i) + 100, 100, i);
            op("MatMul", "gradients/dense/MatMul_1", iterationUs(i) + 200, 100, i);
            op("BiasAddGrad", "gradients/dense/BiasAddGrad", iterationUs(i) + 300, 100, i);
            op("ResourceApplyAdam", "Adam/update", iterationUs(i) + 800, 50, i);
        }
        return eventFile(events);
    }

    /// The fork that dPRO records with writes a timeline on each rank, and never closes it.
    std::string commFile()
    {
        std::string events
            = R"([{"name": "process_name", "ph": "M", "pid": 0, "args": {"start_time_since_epoch_in_micros":)"
            + number(EpochUs) + "}},\n";
        for (int tensor = 1; tensor <= 2; ++tensor)
            events += R"({"name": "process_name", "ph": "M", "pid": )" + number(tensor)
                + R"(, "args": {"name": "grad_)" + number(tensor - 1) + "\"}},\n";
        const auto both = [&events](const std::string &event, long us) {
            for (int tensor = 1; tensor <= 2; ++tensor)
                events += object(event + ", \"ts\": " + number(us) + ", \"pid\": " + number(tensor))
                    + ",\n";
        };
        for (int i = 0; i < Iterations; ++i) {
            both(R"("ph": "B", "name": "NEGOTIATE_ALLREDUCE")", 1000L * i + 400);
            both(R"("ph": "E")", 1000L * i + 440);
            both(R"("ph": "B", "name": "ALLREDUCE")", 1000L * i + 445);
            both(R"("ph": "B", "name": "NCCL_ALLREDUCE")", 1000L * i + 450);
            both(R"("ph": "E")", 1000L * i + 750);
            both(R"("ph": "E", "args": {"dtype": "float32", "shape": "[64, 10]"})",
                 1000L * i + 760);
        }
        return events;
    }

    std::string commDetailFile(int rank)
    {
        const std::string row = "\"cat\": \"Comm\", \"tid\": \"none\", \"pid\": \"comm_detail_r"
            + number(rank) + "_lr" + number(rank % LocalRanks) + '"';
        std::string events;
        for (int i = 0; i < Iterations; ++i) {
            for (int step = 0; step < RingSteps; ++step) {
                const std::string args = "\"loopId\": 0, \"channelId\": 0, \"chunkId\": "
                    + number(step) + ", \"sliceId\": 0";
                const long us = iterationUs(i) + 450 + 50L * step;
                append(events, complete("Comm.0+1.SEND", row, us, 20, args));
                append(events, complete("Comm.0+1.RECV", row, us + 20, 20, args));
            }
        }
        append(events,
               R"({"ph": "i", "s": "g", "name": "step", "ts": 1, "pid": 0, "cat": "Comm"})");
        return eventFile(events);
    }

    std::string ringFile()
    {
        std::string ring;
        for (int rank = 0; rank < Ranks; ++rank)
            ring += (ring.empty() ? "" : ",") + number(rank) + "[" + number(rank * 1000L) + "] -> "
                + number((rank + 1) % Ranks) + "[0] [send] via NET/Socket/0";
        return R"({"Ring": {"0": ")" + ring + R"("}, "Tree": {"-1": "[0] 1/-1/-1->0->-1|"}})";
    }

    std::string inputFile()
    {
        std::string events;
        for (int i = 0; i < Iterations; ++i)
            append(events,
                   complete("I/O.get_next", R"("cat": "I/O", "pid": "io", "tid": "io")",
                            iterationUs(i), 50, "\"step\": " + number(i)));
        return eventFile(events);
    }

    std::string graphFile()
    {
        return R"(graph [
  directed 1
  node [
    id 0
    label "model/dense/MatMul"
    avg 0.1
  ]
  node [
    id 1
    label "gradients/dense/MatMul_1"
  ]
  node [
    id 2
    label "Comm.grad_0"
  ]
  node [
    id 3
    label "Adam/update"
    shape [
      id 7
    ]
  ]
  edge [
    source 0
    target 1
  ]
  edge [
    source 1
    target 2
  ]
  edge [
    source 2
    target 3
  ]
]
)";
    }

    std::string mergedFile()
    {
        std::string events;
        for (int rank = 0; rank < Ranks; ++rank) {
            const std::string row = "\"pid\": \"host" + number(rank / LocalRanks) + ".rank"
                + number(rank % LocalRanks) + "\", ";
            for (int i = 0; i < Iterations; ++i) {
                const std::string step = "\"step\": " + number(i);
                append(events,
                       complete("FW.dense", row + R"("tid": "operator0", "cat": "operator")",
                                iterationUs(i) + 100, 100, step));
                append(events,
                       complete("BW.dense", row + R"("tid": "operator0", "cat": "operator")",
                                iterationUs(i) + 200, 200, step));
                append(events,
                       complete("Comm.0+1.NCCL_ALLREDUCE", row + R"("tid": "Comm", "cat": "Comm")",
                                iterationUs(i) + 450, 300, step));
                append(events,
                       complete("Comm.0+1.SEND~>0_0_3_0",
                                row + R"("tid": "comm_detail", "cat": "Comm")",
                                iterationUs(i) + 450, 20, step));
            }
        }
        return "{\"traceEvents\": [" + events + "], \"all_prefix\": []}";
    }

} // namespace

std::map<std::string, std::string> generateDproFolder()
{
    std::map<std::string, std::string> files;
    for (int rank = 0; rank < Ranks; ++rank) {
        const std::string folder
            = "host" + number(rank / LocalRanks) + '/' + number(rank % LocalRanks) + '/';
        files[folder + "trace.json.gz"] = computeFile(rank % LocalRanks); // older ones: not packed
        files[folder + "comm.json"] = commFile();
        files[folder + "comm_detail.json"] = commDetailFile(rank);
        files[folder + "nccl_rank_graph.json"] = ringFile();
        files[folder + "io.json"] = inputFile();
        files[folder + "dag.gml"] = graphFile();
        files[folder + "metadata.json"]
            = R"({"model/dense/MatMul": {"op": "MatMul"}, "gradients/dense/MatMul_1": {"op": "MatMul",)"
              R"( "input": [], "output": [{"name": "grad_0", "shape": [64, 10], "dtype": "float32"},)"
              R"( {"name": "grad_1", "shape": [64, 10], "dtype": "float32"}]}})";
        files[folder + "gradient_name_list.json"]
            = R"({"gradient_name_list": ["grad_0", "grad_1"], "model_name": "dense"})";
    }
    files["bps_trace_final.json"] = mergedFile();
    files["trail_dag.gml"] = graphFile();
    files["statistic.txt"] = "2,3,1,1.0\n{'FW.dense': {'avg': 0.1}}\n{}\n";
    files["nccl_graph.txt"] = "{'Ring': {}}\n";
    files["key_dict.txt"] = "grad_0: 0\n";
    return files;
}

std::map<std::string, std::string> generateDproServerFolder()
{
    std::map<std::string, std::string> files;
    std::string gpu;
    for (int round = 0; round < 2; ++round)
        append(gpu,
               complete("Comm.grad_0", R"("pid": "Comm.grad_0", "tid": "total", "cat": "Comm")",
                        iterationUs(round), 500, ""));
    for (const char *folder : { "traces_0/0/", "traces_0/1/", "traces_1/0/", "traces_1/1/" })
        files[std::string(folder) + "comm.json"] = eventFile(gpu);
    std::string comm, server;
    for (int worker = 0; worker < 2; ++worker)
        for (int part = 0; part < 2; ++part)
            addExchange(comm, worker, part);
    for (int part = 0; part < 2; ++part) {
        addProcess(server, number(part), "server_" + number(part));
        const std::string row = "\"tid\": 1, \"pid\": " + number(part);
        const std::string tensor = "grad_0~PART" + number(part);
        for (int round = 0; round < 2; ++round) {
            addPair(server, tensor + ".COPY_FIRST", "server", row, iterationUs(round) + 100, 20);
            addPair(server, tensor + ".SUM", "server", row, iterationUs(round) + 150, 30);
        }
    }
    files["comm_timeline.json"] = eventFile(comm);
    files["server_timeline.json"] = eventFile(server);
    return files;
}

std::string generateMxnetProfile()
{
    std::string events;
    addProcess(events, "0", "cpu/0");
    addProcess(events, "1", "gpu/0");
    addProcess(events, "18446744073709551615", "MXNET_C_API");
    const auto pair
        = [&events](const char *name, const char *category, const char *row, long us,
                    long durationUs) { addPair(events, name, category, row, us, durationUs); };
    for (int i = 0; i < Iterations; ++i) {
        const long us = 5000 + 1000L * i;
        pair("MXImperativeInvokeEx", "MXNET_C_API",
             R"("pid": 18446744073709551615, "tid": 9223372036854775809)", us, 20);
        pair("Convolution", "operator", R"("pid": 1, "tid": 17293822569102704640)", us + 50, 100);
        pair("_backward_Convolution", "operator", R"("pid": 1, "tid": 17293822569102704640)",
             us + 200, 200);
        pair("sgd_update", "operator", R"("pid": 0, "tid": 1)", us + 500, 50);
    }
    return eventFile(events);
}

} // namespace tests
