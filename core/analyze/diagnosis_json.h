#pragma once

#include "core/analyze/diagnosis.h"

#include <nlohmann/json_fwd.hpp>

namespace core {

/// The object of `longpole diagnose --json`, keys by the command line contract. critical_path: its
/// parts (compute_ns, comm_ns, host_ns, launch_ns, input_ns, wait_ns, idle_ns) add up to total_ns,
/// of the typical iteration (with its ops), of each of `iterations`, and as the mean of those that
/// are `counted`, `steady_state`. others_ns: what `ns`, `own_work_ns` or `slower_ns` beside it is
/// compared with, the other ranks' (OthersMedian) or, of slow iterations, the other iterations'.
nlohmann::ordered_json toJson(const Diagnosis &diagnosis);

} // namespace core
