#pragma once

#include <optional>
#include <string_view>

namespace core {

struct NamedProcess
{
    std::string_view host, pid; ///< views of the path
};

/// Host and process of a file that is named HOST_PID.TIME.pt.trace.json[.gz], as PyTorch names it
/// (torch.profiler.tensorboard_trace_handler without a worker_name: gethostname() and getpid()).
/// A worker_name can look like that, too ("rank_3"): only where the trace has that process is it
/// one. Nothing for "localhost", which every machine may be called.
std::optional<NamedProcess> processFromName(std::string_view path);

} // namespace core
