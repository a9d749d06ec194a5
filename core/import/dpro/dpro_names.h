#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The parts of dPRO's names, `<pid>-><category>.<op>[.<sub-op>][~><suffix>]`. Views into the name;
/// empty where a part is missing.
struct DproName
{
    std::string_view pid; ///< "host0.rank1"
    std::string_view standard; ///< category, op and sub-op: "Comm.3+4.SEND"
    std::string_view category; ///< FW, BW, Comm, UPDATE_0, OUTPUT0, I/O
    std::string_view op; ///< of Comm: numbers of tensors, "3+4"
    std::string_view subOp; ///< of Comm only: SEND, NCCL_ALLREDUCE
    std::string_view suffix; ///< of NCCL: loop, channel, chunk, slice, "0_1_6_0"
};

DproName parseDproName(std::string_view name);

/// A GPU by its pid: "host0.rank1" or "traces_0.rank1".
struct DproPid
{
    int host = 0, local = 0;
    auto operator<=>(const DproPid &) const = default;
};

std::optional<DproPid> parseDproPid(std::string_view pid);

/// The numbers of "3+4+5" or "0_1_6_0"; empty if one of the parts is none.
std::vector<int> dproNumbers(std::string_view list, char separator);

} // namespace core
