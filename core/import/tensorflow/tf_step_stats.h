#pragma once

#include "core/import/tensorflow/tf_partition_graphs.h"
#include "core/import/tensorflow/tf_rows.h"
#include "core/import/text/protobuf_stream.h"
#include "core/model/trace_sink.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A NodeExecStats message: one operator, kernel or copy.
struct TfNodeStats
{
    std::string name; ///< of kernels and copies: "node:op"
    std::string label; ///< "node = op(inputs)", of kernels the kernel's name first
    std::int64_t startNs = 0, durationNs = 0;
    std::uint64_t threadId = 0;
    bool isValid = false; ///< the message made sense and its times are in range
};

/// Gives the node statistics of one file to a sink, in two passes: devices and graphs, then nodes.
class TfStepStats
{
public:
    TfStepStats(TraceSink &sink, std::string file);

    /// First pass, of the whole file.
    void readOutline(ProtobufStream &stream, bool isRunMetadata);
    /// Second pass.
    void readNodes(ProtobufStream &stream, bool isRunMetadata);
    void finish();

private:
    void readDevices(ProtobufStream &stream);
    void readNodesOfStep(ProtobufStream &stream);
    void readNodesOfDevice(ProtobufStream &stream, const std::string &device);
    void addNode(std::string_view message, std::uint64_t offset, const std::string &device);
    void addHostNode(TfSlice slice, const TfNodeStats &node);
    void addReceivedTensor(TfSlice slice, const TfNodeStats &node);
    void addMemory(std::string_view message, WorkerId worker);
    void report(const ProtobufStream &stream);
    void count(std::string_view code, Severity severity, std::uint64_t offset,
               std::string_view message);

    TraceSink &m_sink;
    std::string m_file;
    TfRows m_rows;
    TfPartitionGraphs m_graphs;
    std::vector<std::string> m_devices; ///< in the order of the file
    std::size_t m_deviceBytes = 0; ///< of their names
    std::map<std::string, std::uint64_t> m_counts; ///< by device
};

/// Reads the times, names and thread of a NodeExecStats message.
TfNodeStats readNodeStats(std::string_view message);

} // namespace core
