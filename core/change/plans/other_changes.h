#pragma once

#include "core/change/plans/plan_request.h"
#include "core/change/rewriting.h"

namespace core {

/// The changes of ranks' own work and of transfers that follow those of gradients. Refers to its
/// argument.
inline OtherChanges otherChanges(const Rewriting &rewriting)
{
    return { [&rewriting](std::shared_ptr<const Graph> graph) {
                return rewriting.withStage(Stage::Work, std::move(graph));
            },
             [&rewriting](std::shared_ptr<const Graph> graph) {
                 return rewriting.withStage(Stage::Transfers, std::move(graph));
             } };
}

} // namespace core
