#pragma once

#include "core/import/importer.h"

namespace core {

/// Chakra execution traces (MLCommons): protobuf (`<prefix>.<rank>.et`, GlobalMetadata and then
/// nodes) and the JSON form ({"workload_graph": [...]}).
///
/// Gives data and control dependencies, keyed by chakraNodeKey(): ops of the host by their record
/// function ids (rf_id), by which they are joined to a Kineto trace of the same run. And a slice of
/// every node with a start time: collectives with their kind, payload and process group, sends and
/// receives with their peer. Times are whole microseconds. Nodes are counted by type.
///
/// DelimitedMessages streams protobuf messages behind their lengths, ChakraNode is a node of
/// either form, and ChakraTranslator gives it to the sink.
class ChakraImporter : public Importer
{
public:
    std::string_view name() const override { return "chakra"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
