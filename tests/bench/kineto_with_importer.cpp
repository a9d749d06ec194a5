#include "core/import/kineto_importer.h"
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
        std::filesystem::path plainFile() const override { return {}; }

    private:
        std::string m_name = "memory";
        const std::string &m_text;
        std::size_t m_position = 0;
    };

    class AddingSink : public core::TraceSink
    {
    public:
        core::Diagnostics &diagnostics() override { return m_diagnostics; }
        core::NameId intern(std::string_view text) override
        {
            extracted.textSize += text.size();
            return {};
        }
        core::WorkerId addWorker() override { return {}; }
        void describeWorker(core::WorkerId, const core::WorkerInfo &) override { }
        core::TrackId track(core::WorkerId, const core::TrackSpec &) override { return {}; }
        void nameTrack(core::TrackId, std::string_view) override { }
        void slice(core::TrackId, const core::SliceRecord &record) override
        {
            ++extracted.slices;
            extracted.timeSumNs += static_cast<std::uint64_t>(record.startNs + record.durationNs);
            extracted.linkSum += record.correlation + record.externalId;
            extracted.textSize += record.args.size();
        }
        core::TensorId tensor(core::WorkerId, const core::TensorRecord &) override { return {}; }
        void memory(core::WorkerId, const core::MemoryEvent &) override { }
        void dependency(core::WorkerId, const core::DependencyEdge &) override { }
        void iteration(core::WorkerId, std::int64_t, core::TimeRange) override { }
        void metadata(std::string_view, std::string_view) override { }
        void countEvents(core::WorkerId, std::string_view, std::uint64_t count) override
        {
            extracted.events += count;
        }

        Extracted extracted;

    private:
        core::Diagnostics m_diagnostics;
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
