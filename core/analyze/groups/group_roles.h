#pragma once

#include <map>
#include <string>
#include <string_view>

namespace core {

/// What the ranks of a process group divide among them.
enum class GroupRole {
    Unknown,
    Data, ///< the batch; sharded (FSDP, ZeRO) or not
    Tensor, ///< the tensors of a layer, or the sequence between these layers
    Pipeline, ///< the layers
    Expert, ///< the experts of a mixture
    Context, ///< the sequence within attention
    Embedding, ///< the tables of embeddings, or parts of these
};

/// Stable id: "data", "tensor", "pipeline", "expert", "context", "embedding"; "unknown".
std::string_view groupRoleName(GroupRole role);

/// What a framework says of a group in its own words: "TENSOR_MODEL_PARALLEL_GROUP", "mesh_dp",
/// "EXPERT_DATA_PARALLEL_GROUP". Unknown for words that say no role ("default_pg"), and for those
/// that say several ("TENSOR_AND_DATA_PARALLEL_GROUP").
GroupRole statedRole(std::string_view description);

/// How a rank uses a group.
struct GroupUse
{
    /// Calls of a step of one rank.
    struct Calls
    {
        double forward = 0;
        double backward = 0; ///< and after it, until the optimizer
        double optimizer = 0;
        double other = 0; ///< when is not known
        double all() const { return forward + backward + optimizer + other; }
    };
    std::map<std::string, Calls> perStep; ///< by kind: "all_reduce"
    bool hasBackward = false; ///< the ranks' backward passes are recorded
    bool carriesNamedTensors = false; ///< an all-reduce says which tensors it reduces
    bool hasEmbeddings = false; ///< the ranks look up embeddings that are distributed over ranks
};

struct InferredRole
{
    GroupRole role = GroupRole::Unknown;
    std::string meaning; ///< for people: what its calls are; empty: nothing is known of them
};

/// The role by what a group is used for; rules of thumb, so the result is to be marked as such.
InferredRole inferredRole(const GroupUse &use);

} // namespace core
