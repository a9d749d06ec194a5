#include "core/import/nsight/mpi_call.h"

#include "core/import/kineto/kineto_collectives.h"

namespace core {

namespace {

    constexpr std::string_view Prefix = "MPI_";

    /// collectiveKind() of "Allreduce" and of its variants ("Iallreduce"); persistent ones only
    /// set up ("Allreduce_init").
    std::string_view kindOf(std::string_view function)
    {
        if (!function.starts_with(Prefix) || function.ends_with("_init"))
            return "other";
        function.remove_prefix(Prefix.size());
        if (function.empty())
            return "other";
        // Non-blocking, buffered, synchronous and ready variants have a letter in front.
        for (const std::string_view name : { function, function.substr(1) }) {
            if (name.starts_with("Bcast") || name.starts_with("bcast"))
                return "broadcast";
            if (const std::string_view kind = collectiveKind(name); kind != "other")
                return kind;
        }
        return "other";
    }

} // namespace

bool isMpiCommunication(std::string_view function)
{
    return kindOf(function) != "other";
}

std::optional<CollectiveInfo> mpiCollective(std::string_view function)
{
    const std::string_view kind = kindOf(function);
    if (kind == "other" || kind == "send" || kind == "recv" || kind == "send_recv")
        return std::nullopt;
    CollectiveInfo info;
    info.kind = kind;
    return info;
}

} // namespace core
