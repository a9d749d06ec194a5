#include "core/import/kineto/kineto_importer.h"
#include "tests/bench/adding_sink.h"
#include "tests/bench/kineto_parsers.h"

#include <algorithm>
#include <cstring>

namespace bench {

namespace {

    /// An entry in memory that is not copied beforehand.
    class MemoryView : public core::BundleEntry
    {
    public:
        explicit MemoryView(const std::string &text)
            : m_text(text)
        {
        }

        const std::string &name() const override { return m_name; }
        std::size_t read(std::span<char> buffer) override
        {
            const std::size_t count = std::min(buffer.size(), m_text.size() - m_position);
            std::memcpy(buffer.data(), m_text.data() + m_position, count);
            m_position += count;
            return count;
        }
        double progress() const override { return 0; }
        std::string tail(std::size_t) const override { return {}; }
        std::unique_ptr<core::BundleEntry> openOther(std::string_view) const override
        {
            return nullptr;
        }
        bool hasOther(std::string_view) const override { return false; }
        std::filesystem::path plainFile() const override { return {}; }
        core::Diagnostics changesSinceListed() const override { return {}; }

    private:
        std::string m_name = "memory";
        const std::string &m_text;
        std::size_t m_position = 0;
    };

} // namespace

Extracted withImporter(const std::string &json)
{
    MemoryView entry(json);
    AddingSink sink;
    core::KinetoImporter().read(entry, sink, {});
    return sink.extracted;
}

} // namespace bench
