#pragma once

#include "core/import/importer.h"

namespace core {

/// PyTorch execution traces (torch.profiler.ExecutionTraceObserver), schema 1.0.1 to 1.1.1, and the
/// linked traces that chakra_trace_link makes of them and of Kineto's.
///
/// Gives dependencies between ops: Data from tensors and storages (TensorFlow), Control from an op
/// to the ops inside of it, Sync from a linked trace's sync_dep and inter_thread_dep. An op is
/// known by its record function id (rf_id), which Kineto writes as "Record function id"; an op
/// without one by executionTraceNodeKey() of its node's id. Ops have no times, so there are slices
/// of linked traces only. Nodes are counted by the category of a linked trace, else by their scope.
///
/// The files:
/// - json_object_list: any JSON file whose outermost object has one long list of objects: damage,
///   cut ends
/// - json_members.h: walks over a value in memory
/// - execution_trace_node: a node of either generation of the schema, as views into the text
/// - op_schema, tensor_data_flow: which op reads what which op wrote
/// - execution_trace_translator: node -> dependencies; slices where a linked trace has times
class ExecutionTraceImporter : public Importer
{
public:
    std::string_view name() const override { return "pytorch-et"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// SliceColumns::node of a node that has an id in its file only: no record function has such an id.
constexpr std::uint64_t executionTraceNodeKey(std::uint64_t nodeId)
{
    return (nodeId & ((std::uint64_t { 1 } << 62U) - 1)) | (std::uint64_t { 1 } << 62U);
}

} // namespace core
