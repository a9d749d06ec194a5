#pragma once

#include "core/model/category.h"

namespace core {

/// Role that colours work of a host thread. Phases colour what runs on a device; beside one
/// (`hasDevice`: the rank has any), a thread only hands work to it.
constexpr Role hostRole(Role role, bool hasDevice)
{
    const bool isOfPhase
        = role == Role::Forward || role == Role::Backward || role == Role::Optimizer;
    return isOfPhase && hasDevice ? Role::Host : role;
}

} // namespace core
