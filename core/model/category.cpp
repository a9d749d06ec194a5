#include "core/model/category.h"

#include <array>

namespace core {

namespace {

    constexpr std::array<std::string_view, 14> CategoryNames = {
        "other",   "cpu_op", "user_annotation", "python_function",
        "runtime", "kernel", "comm_kernel",     "memcpy",
        "memset",  "sync",   "gpu_annotation",  "overhead",
        "comm_op", "span",
    };
    constexpr std::array<std::string_view, 5> PhaseNames
        = { "none", "forward", "backward", "optimizer", "input" };
    constexpr std::array<std::string_view, RoleCount> RoleNames = {
        "forward", "backward", "optimizer",  "communication", "memory",
        "host",    "input",    "annotation", "unknown",
    };

    Role roleOfPhase(Phase phase)
    {
        switch (phase) {
        case Phase::Forward:
            return Role::Forward;
        case Phase::Backward:
            return Role::Backward;
        case Phase::Optimizer:
            return Role::Optimizer;
        case Phase::Input:
            return Role::Input;
        case Phase::None:
            break;
        }
        return Role::Host;
    }

} // namespace

Role roleOf(Category category, Phase phase)
{
    switch (category) {
    case Category::CommKernel:
    case Category::CommOp:
        return Role::Communication;
    case Category::Memcpy:
    case Category::Memset:
        return Role::Memory;
    case Category::UserAnnotation:
    case Category::GpuAnnotation:
    case Category::Span:
        return Role::Annotation;
    case Category::CpuOp:
        return roleOfPhase(phase);
    case Category::Kernel:
        return phase == Phase::None ? Role::Unknown : roleOfPhase(phase);
    case Category::Other:
    case Category::PythonFunction:
    case Category::Runtime:
    case Category::Sync:
    case Category::Overhead:
        break;
    }
    return Role::Host;
}

std::string_view categoryName(Category category)
{
    return CategoryNames.at(static_cast<std::size_t>(category));
}

std::string_view phaseName(Phase phase)
{
    return PhaseNames.at(static_cast<std::size_t>(phase));
}

std::string_view roleName(Role role)
{
    return RoleNames.at(static_cast<std::size_t>(role));
}

bool isDeviceActivity(Category category)
{
    return category == Category::Kernel || category == Category::CommKernel
        || category == Category::Memcpy || category == Category::Memset;
}

bool isCommunication(Category category)
{
    return category == Category::CommKernel || category == Category::CommOp;
}

} // namespace core
