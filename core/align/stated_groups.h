#pragma once

#include "core/model/trace.h"

#include <map>
#include <string>
#include <vector>

namespace core {

/// What a source's list of process groups says of one.
struct StatedGroup
{
    std::string description; ///< "default_pg", "TENSOR_MODEL_PARALLEL_GROUP"; empty: none
    std::vector<int> ranks; ///< ascending; empty: not listed
};

/// The lists of process groups of a trace's files (Kineto's pg_config, the execution trace's
/// process_group:init).
class StatedGroups
{
public:
    /// Lists that are no JSON, and what is no group in them, are left out.
    explicit StatedGroups(const Trace &trace);

    /// The worker's own file first, since names may mean other ranks in others, and of several
    /// groups of that name there the one that has its rank; else another file's that has it. Null
    /// where nothing is said.
    const StatedGroup *find(const Worker &worker, const std::string &name) const;

private:
    struct Listed
    {
        std::string entry; ///< of the bundle
        StatedGroup group;
    };

    void addList(const std::string &entry, const std::string &text);

    std::map<std::string, std::vector<Listed>> m_byName;
};

} // namespace core
