#include "core/import/op_name_sample.h"

#include "core/model/metadata_keys.h"

namespace core {

namespace {

    constexpr std::size_t MostSampledNames = 512;
    constexpr std::size_t LongestSampledName = 256;

} // namespace

void OpNameSample::add(std::uint64_t node, std::string name)
{
    if (name.size() > LongestSampledName || m_opCount++ % m_stride != 0)
        return;
    if (m_names.size() == MostSampledNames) {
        for (std::size_t i = 0; i < MostSampledNames / 2; ++i)
            m_names[i] = std::move(m_names[2 * i]);
        m_names.resize(MostSampledNames / 2);
        m_stride *= 2;
        if ((m_opCount - 1) % m_stride != 0)
            return;
    }
    m_names.emplace_back(node, std::move(name));
}

void OpNameSample::deliver(TraceSink &sink) const
{
    std::string lines;
    for (const auto &[node, name] : m_names)
        lines += std::to_string(node) + ' ' + name + '\n';
    if (!lines.empty())
        sink.metadata(OpNamesKey, lines);
}

} // namespace core
