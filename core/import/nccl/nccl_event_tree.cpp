#include "core/import/nccl/nccl_event_tree.h"

#include "core/import/text/clean_text.h"
#include "core/import/text/decimal_time.h"

#include <algorithm>

namespace core {

namespace {

    /// 0 is what stands in the file where the plug-in took no time.
    std::optional<std::int64_t> timeOf(const ChromeEvent &event)
    {
        const std::optional<std::int64_t> ns = nanosecondsFromMicroseconds(event.timestamp);
        return ns && *ns != 0 ? ns : std::nullopt;
    }

    /// With the vectors' unused room.
    std::size_t bytesOf(const NcclEvent &event)
    {
        std::size_t bytes = 2 * sizeof(NcclEvent) + event.category.size() + event.name.size()
            + event.pid.size() + 2 * event.args.size() * sizeof(LenientMember);
        for (const LenientMember &member : event.args)
            bytes += member.key.size() + member.value.size();
        return bytes;
    }

} // namespace

NcclEventTreeBuilder::NcclEventTreeBuilder(TraceSink &sink, std::string file, OnTree onTree)
    : m_diagnostics(sink.diagnostics())
    , m_file(std::move(file))
    , m_onTree(std::move(onTree))
    , m_mostBytes(sink.importerBytes())
{
}

void NcclEventTreeBuilder::begin(const ChromeEvent &event, std::uint64_t offset)
{
    NcclEvent added;
    added.category = cleanString(event.category);
    added.name = cleanString(event.name);
    added.pid = cleanString(event.pid);
    added.startNs = timeOf(event);
    added.args = lenientMembers(event.argsText);
    added.offset = offset;
    const std::size_t bytes = bytesOf(added);
    if (m_tree.size() >= MaximumTreeSize || m_open.size() >= MaximumDepth
        || (!m_tree.empty() && m_treeBytes + bytes > m_mostBytes)) {
        m_diagnostics.count(
            "too-many-open-slices", Severity::Error, { m_file, offset },
            "more than 500000 events, or more than the import may hold, are inside of one, or more "
            "than 64 have no end: what follows was not put into relation with them. The file is "
            "damaged, record again; or import again with a larger --memory-limit (longpole "
            "import)");
        handOut();
    }
    m_treeBytes += bytes;
    m_open.push_back(m_tree.size());
    m_tree.push_back(std::move(added));
}

bool NcclEventTreeBuilder::end(const ChromeEvent &event, std::uint64_t offset)
{
    const std::string category = cleanString(event.category);
    const std::string name = cleanString(event.name);
    const auto found = std::find_if(m_open.rbegin(), m_open.rend(), [&](std::size_t index) {
        return m_tree[index].category == category && m_tree[index].name == name;
    });
    if (found == m_open.rend()) {
        m_diagnostics.countLost("end-without-begin", Severity::Warning, { m_file, offset },
                                "end events (\"ph\": \"e\") without a begin were only counted: the "
                                "file is damaged before them, record again");
        return false;
    }
    NcclEvent &closed = m_tree[*found];
    closed.endNs = timeOf(event);
    closed.isClosed = true;
    const auto kept = static_cast<std::size_t>(m_open.rend() - found) - 1;
    for (std::size_t i = kept; i < m_open.size(); ++i)
        m_tree[m_open[i]].subtreeEnd = m_tree.size();
    m_open.resize(kept);
    if (m_open.empty())
        handOut();
    return true;
}

void NcclEventTreeBuilder::handOut()
{
    for (const std::size_t index : m_open)
        m_tree[index].subtreeEnd = m_tree.size();
    m_open.clear();
    for (const NcclEvent &event : m_tree) {
        if (!event.isClosed)
            m_diagnostics.count("begin-without-end", Severity::Error, { m_file, event.offset },
                                "begin events (\"ph\": \"b\") without an end were left out: the "
                                "file is damaged or cut after them, record again");
    }
    m_onTree(m_tree);
    m_tree.clear();
    m_treeBytes = 0;
}

void NcclEventTreeBuilder::finish()
{
    if (!m_tree.empty())
        handOut();
}

} // namespace core
