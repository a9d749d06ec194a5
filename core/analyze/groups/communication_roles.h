#pragma once

#include "core/analyze/diagnosis.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// What part of the communication that an iteration waits for is between ranks of one role.
struct RoleShare
{
    GroupRole role = GroupRole::Unknown;
    bool isSharded = false; ///< of Data: parameters are gathered, gradients scattered (FSDP, ZeRO)
    double share = 0; ///< of the communication on the critical path, 0 to 1
};

/// By the critical path of `diagnosis`, largest first; empty where it has no communication whose
/// groups are known.
std::vector<RoleShare> communicationRoles(const Trace &trace, const Graph &measured,
                                          const Diagnosis &diagnosis);

/// "tensor parallel", "data parallel, sharded"; "not known" without a role.
std::string roleText(const RoleShare &share);

} // namespace core
