#pragma once

#include "core/import/nsight/nsight_context.h"

#include <map>
#include <optional>
#include <string>

namespace core {

/// What an export says about the recording as a whole.
struct NsightSession
{
    std::string host;
    /// Variables of the launched command's environment that tell which rank or node it is, by
    /// name. No others are kept: an environment holds secrets.
    std::map<std::string, std::int64_t> environment;

    /// The first of these variables that is set.
    std::optional<int> firstOf(std::initializer_list<const char *> variables) const;
};

/// Reads start time, end, host and environment; sets the context's clock and the processes' GPUs,
/// gives versions and GPUs to the sink as metadata and what Nsight Systems warned of as
/// diagnostics.
NsightSession readNsightSession(NsightContext &context);

} // namespace core
