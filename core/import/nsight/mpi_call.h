#pragma once

#include "core/model/trace_sink.h"

#include <optional>
#include <string_view>

namespace core {

/// True for MPI functions that move data ("MPI_Allreduce", "MPI_Isend"), as opposed to set-up
/// ("MPI_Init", "MPI_Comm_rank") and to waits for what was started before.
bool isMpiCommunication(std::string_view function);

/// The collective that an MPI function carries out; absent for all others. The group is the
/// default one: MPI's communicators are not recorded.
std::optional<CollectiveInfo> mpiCollective(std::string_view function);

} // namespace core
