#pragma once

#include "core/base/job_control.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// Both ends of one point-to-point transfer: indices into trace.transfers.
struct MatchedMessage
{
    std::size_t sent = 0, received = 0;
};

/// Matches the ends of messages across workers by transaction, channel and direction; those that
/// repeat each other (a tensor's, one an iteration) by the offset at which their ends agree, since
/// either rank may have begun recording later. A send without a receive, or the other way round,
/// goes into `notes`, by the name of the first.
std::vector<MatchedMessage> matchMessages(const Trace &trace, std::vector<std::string> &notes,
                                          const JobControl &control);

} // namespace core
