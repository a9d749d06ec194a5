#pragma once

#include "core/import/nsight/nsight_context.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace core {

/// What a kernel's name says.
struct NsightKernelName
{
    NameId name; ///< "?" if it is not known
    bool isKnown = true;
    bool isCommunication = false;
    std::string_view collective = "other"; ///< of a communication kernel: see collectiveKind()
};

/// Kernels' names by StringIds number; each is looked at once.
class NsightKernelNames
{
public:
    explicit NsightKernelNames(NsightContext &context)
        : m_context(context)
    {
    }

    /// The demangled name where there is one, as other traces have it. The reference is valid until
    /// the next call.
    const NsightKernelName &find(std::optional<std::int64_t> demangled,
                                 std::optional<std::int64_t> shortName,
                                 std::optional<std::int64_t> mangled);

private:
    NsightContext &m_context;
    std::unordered_map<std::int64_t, NsightKernelName> m_known;
    NsightKernelName m_unknown;
};

} // namespace core
