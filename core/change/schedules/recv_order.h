#pragma once

#include "core/base/job_control.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace core {

/// A worker whose ops need what it receives over one link (TicTac: Hashemi et al., MLSys 2019,
/// section 3). Times are multiples of any one unit, in sum below 2^53 of it: sums are then exact.
struct RecvModel
{
    static constexpr std::size_t NoOther = std::numeric_limits<std::size_t>::max();

    struct Op
    {
        double time = 0;
        std::vector<std::size_t> recvs; ///< that it needs beyond those of `after`; ascending
        std::size_t after = NoOther; ///< an op before it whose recvs it needs, too
    };

    std::vector<double> recvTimes; ///< by recv
    std::vector<Op> ops; ///< each behind those that it needs
};

/// TIC, timing-independent (TicTac section 4.2): recvs by M+ with one unit of time for each and
/// none for ops. M+ of a recv is the least number of recvs of an op that needs it and others. By
/// recv its priority, lower first: recvs that it does not tell apart share one. A recv that no op
/// needs with others is last.
std::vector<std::int32_t> ticPriorities(const RecvModel &model);

/// TAC, timing-aware (TicTac section 4.3, algorithm 3): the recvs, the most urgent first. Each turn
/// takes the recv that no outstanding other one goes before: A goes before B if
/// min(P_B, M_A) < min(P_A, M_B), on a tie if its M+ is less.
/// - M: the time of the recv. P: the time of ops that need nothing else. M+: the least time of all
///   recvs of an op that needs it and others.
/// - With the tie-break three recvs may go before one another in a circle, although the paper calls
///   the relation transitive. Then the first found of them is taken.
/// - Each turn looks at each op and its own recvs once: O(n^2) of a program in order with n recvs.
/// Throws Cancelled.
std::vector<std::size_t> tacOrder(const RecvModel &model, const JobControl &control = {});

/// Until all is done, where recvs go over the link one after the other in `order`, which names
/// each once, and ops run on one processor as soon as what they need is there.
double recvMakespan(const RecvModel &model, const std::vector<std::size_t> &order);

} // namespace core
