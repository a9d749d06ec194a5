#include "core/import/nsight/nsight_kernel_names.h"

#include "core/import/kineto/kineto_collectives.h"

namespace core {

namespace {

    constexpr std::size_t MostKernelNames = 1'000'000;

} // namespace

const NsightKernelName &NsightKernelNames::find(std::optional<std::int64_t> demangled,
                                                std::optional<std::int64_t> shortName,
                                                std::optional<std::int64_t> mangled)
{
    for (const std::optional<std::int64_t> id : { demangled, shortName, mangled }) {
        if (!id)
            continue;
        if (const auto known = m_known.find(*id); known != m_known.end())
            return known->second;
        const std::optional<std::string> text = m_context.strings.text(*id);
        if (!text)
            continue;
        if (m_known.size() >= MostKernelNames)
            m_known.clear();
        NsightKernelName &added = m_known[*id];
        added.name = m_context.sink.intern(*text);
        if (const auto collective = communicationKernel(*text)) {
            added.isCommunication = true;
            added.collective = collectiveKind(*collective);
        }
        return added;
    }
    m_unknown.name = m_context.sink.intern("?");
    m_unknown.isKnown = false;
    return m_unknown;
}

} // namespace core
