#pragma once

#include "core/import/chrome/chrome_event.h"
#include "core/import/text/lenient_members.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// A pair of begin and end records of NCCL's example profiler plug-in.
struct NcclEvent
{
    std::string category, name, pid;
    std::optional<std::int64_t> startNs, endNs; ///< since the plug-in's start; absent: not taken
    LenientMembers args;
    std::uint64_t offset = 0; ///< of the begin record
    std::size_t subtreeEnd = 0; ///< index after the last event inside of this one
    bool isClosed = false; ///< it has an end record
};

/// An outermost event and all events inside of it, each before those inside of it.
using NcclEventTree = std::vector<NcclEvent>;

/// Puts begin and end records together. The plug-in writes an event's begin, then what belongs to
/// it, then its end; its ids repeat, so only this order tells which step belongs to which transfer.
/// Memory is bounded by MaximumTreeSize events of one outermost event and by what they may take,
/// and they nest at most MaximumDepth deep (whole files nest 7 deep).
class NcclEventTreeBuilder
{
public:
    static constexpr std::size_t MaximumTreeSize = 500'000;
    static constexpr std::size_t MaximumDepth = 64;

    using OnTree = std::function<void(const NcclEventTree &)>;

    /// The sink, whose importerBytes() are the bound, must outlive the builder; `onTree` gets every
    /// tree when it is complete.
    NcclEventTreeBuilder(TraceSink &sink, std::string file, OnTree onTree);

    void begin(const ChromeEvent &event, std::uint64_t offset);
    /// False, and a diagnostic, if no such event is open.
    bool end(const ChromeEvent &event, std::uint64_t offset);
    /// After the last record: hands out what is open.
    void finish();

private:
    void handOut();

    Diagnostics &m_diagnostics;
    std::string m_file;
    OnTree m_onTree;
    NcclEventTree m_tree;
    const std::size_t m_mostBytes;
    std::size_t m_treeBytes = 0; ///< about
    std::vector<std::size_t> m_open; ///< indices, outermost first
};

} // namespace core
