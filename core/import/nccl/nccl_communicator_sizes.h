#pragma once

#include "core/base/diagnostics.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace core {

/// How many ranks the communicators of a file of NCCL's events have, which only some records tell.
class NcclCommunicatorSizes
{
public:
    NcclCommunicatorSizes(Diagnostics &diagnostics, std::string file, std::size_t mostBytes);

    /// Notes what a record tells, and returns what is known now. Communicators that memory does not
    /// suffice for are counted.
    int note(const std::string &communicator, std::optional<int> size);
    int of(const std::string &communicator) const; ///< 0: not known

private:
    Diagnostics &m_diagnostics;
    std::string m_file;
    const std::size_t m_mostBytes;
    std::map<std::string, int> m_sizes;
    std::size_t m_heldBytes = 0; ///< about
};

} // namespace core
