#pragma once

#include "tests/support/protobuf_writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

/// Step statistics of TensorFlow 1, message by message.
namespace tfsample {

    inline constexpr std::uint64_t StepStartUs = 1'500'000'000'000'000;
    inline constexpr const char *Worker0 = "/job:worker/replica:0/task:0/device:GPU:0";
    inline constexpr const char *Worker0Cpu = "/job:worker/replica:0/task:0/device:CPU:0";
    inline constexpr const char *Server = "/job:ps/replica:0/task:0/device:CPU:0";

    /// NodeExecStats with microseconds, as versions before 1.10 write them.
    inline ProtobufWriter node(const std::string &name, std::uint64_t offsetUs,
                               std::uint64_t durationUs, const std::string &label,
                               std::uint64_t thread = 0)
    {
        return ProtobufWriter()
            .bytes(1, name)
            .number(2, StepStartUs + offsetUs)
            .number(4, 1)
            .number(5, durationUs)
            .bytes(8, label)
            .number(10, thread);
    }

    inline ProtobufWriter device(const std::string &name, const std::vector<ProtobufWriter> &nodes)
    {
        ProtobufWriter stats;
        stats.bytes(1, name);
        for (const ProtobufWriter &one : nodes)
            stats.message(2, one);
        return stats;
    }

    inline ProtobufWriter textAttribute(const std::string &key, const std::string &value)
    {
        return ProtobufWriter().bytes(1, key).message(2, ProtobufWriter().bytes(2, value));
    }

    inline ProtobufWriter nodeDef(const std::string &name, const std::string &op,
                                  const std::string &onDevice,
                                  const std::vector<std::string> &inputs)
    {
        ProtobufWriter def;
        def.bytes(1, name).bytes(2, op);
        for (const std::string &input : inputs)
            def.bytes(3, input);
        return def.bytes(4, onDevice);
    }

    /// A _Send or _Recv node of an edge between two devices.
    inline ProtobufWriter cutEdge(const std::string &name, const std::string &op,
                                  const std::string &from, const std::string &to,
                                  const std::string &tensor, const std::string &input)
    {
        ProtobufWriter def = nodeDef(name, op, op == "_Send" ? from : to,
                                     input.empty() ? std::vector<std::string>()
                                                   : std::vector<std::string> { input });
        return def.message(5, textAttribute("tensor_name", tensor))
            .message(5, textAttribute("send_device", from))
            .message(5, textAttribute("recv_device", to));
    }

    /// One step of a worker with a GPU and of a parameter server.
    inline ProtobufWriter stepStats()
    {
        ProtobufWriter relu = node("relu", 40, 10, "relu = Relu(dense/MatMul)", 3);
        relu.number(13, (StepStartUs + 40) * 1000 + 7).number(16, 10'003);
        relu.message(6,
                     ProtobufWriter()
                         .bytes(1, "GPU_0_bfc")
                         .number(2, 512)
                         .message(6, ProtobufWriter().number(1, StepStartUs + 41).number(2, 512))
                         .message(6,
                                  ProtobufWriter()
                                      .number(1, StepStartUs + 44)
                                      .number(2, static_cast<std::uint64_t>(-512))));
        const std::vector<ProtobufWriter> hostNodes = {
            node("dense/MatMul", 10, 20, "dense/MatMul = MatMul(x:0, w/read, ^init)", 2),
            relu,
            node("g/S1", 60, 2, "g/S1 = _Send(relu)", 2),
            node("RecvTensor", 5, 4,
                 "[4096B] edge_7_w from " + std::string(Server) + " to " + Worker0),
        };
        const std::vector<ProtobufWriter> kernels
            = { node("dense/MatMul:MatMul", 15, 18, "sgemm_128@@dense/MatMul#id=1#") };
        ProtobufWriter stats;
        stats.message(1, device("/device:GPU:0/stream:13", kernels));
        stats.message(1, device("/device:GPU:0/stream:all", kernels));
        stats.message(
            1, device("/device:GPU:0/memcpy", { node("edge_3_x:MEMCPYHtoD", 12, 1, "4096B") }));
        stats.message(1, device(Worker0, hostNodes));
        stats.message(1, device(Server, { node("g/R1", 70, 5, "g/R1 = _Recv()", 1) }));
        return stats;
    }

    inline ProtobufWriter runMetadata()
    {
        ProtobufWriter worker;
        worker.message(1, nodeDef("dense/MatMul", "MatMul", Worker0, { "x:0", "w/read", "^init" }));
        worker.message(1, nodeDef("relu", "Relu", Worker0, { "dense/MatMul" }));
        worker.message(1, cutEdge("g/S1", "_Send", Worker0, Server, "edge_9_relu", "relu"));
        worker.message(1, cutEdge("x/S2", "_Send", Worker0Cpu, Worker0, "edge_3_x", "x"));
        worker.message(1, cutEdge("x/S3", "_Recv", Worker0Cpu, Worker0, "edge_3_x", ""));
        ProtobufWriter server;
        server.message(1, cutEdge("g/R1", "_Recv", Worker0, Server, "edge_9_relu", ""));
        server.message(
            1, nodeDef("while/Merge", "Merge", Server, { "while/Enter", "while/NextIteration" }));
        return ProtobufWriter().message(1, stepStats()).message(3, worker).message(3, server);
    }

} // namespace tfsample

} // namespace tests
