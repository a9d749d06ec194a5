#pragma once

#include "core/import/tensorflow/xplane_rows.h"
#include "core/import/tensorflow/xplane_steps.h"
#include "core/import/tensorflow/xspace_outline.h"
#include "core/import/tensorflow/xstat.h"
#include "core/import/text/protobuf_stream.h"
#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Gives the events of one XSpace to a sink: one worker, as an XSpace is written by one process,
/// with a row for every line that has events.
class XPlaneTranslator
{
public:
    /// Adds the file's worker to the sink. The references must outlive the translator.
    XPlaneTranslator(TraceSink &sink, const XSpaceOutline &outline, std::string file);

    /// Reads the space from its beginning; `outline` must be of the same file.
    void read(ProtobufStream &stream);
    /// After read(): counts, steps, host.
    void finish();

private:
    struct Line
    {
        const XPlaneOutline &plane;
        const XLineOutline &outline;
        XPlaneRow row;
        std::int64_t startNs = 0; ///< what offsets count from
        std::optional<TrackId> track; ///< from the first slice on
        bool isSteps = false;
        std::uint64_t eventCount = 0;
    };
    struct Event
    {
        const XEventMetadata *metadata = nullptr; ///< null: the plane does not name it
        std::int64_t metadataId = 0;
        std::int64_t offsetPs = 0, durationPs = 0;
        bool isAggregated = false; ///< of many occurrences, without a time
        bool isDamaged = false;
        TimeRange range;
        std::uint64_t offset = 0; ///< in the file
    };

    void readPlane(ProtobufStream &stream, const XPlaneOutline &plane);
    void readLine(ProtobufStream &stream, Line &line);
    void addEvent(std::string_view message, std::uint64_t offset, Line &line);
    Event decode(std::string_view message, const XPlaneOutline &plane);
    bool setTimes(Event &event, const Line &line);
    bool addMemory(const Event &event);
    void noteStep(const Event &event, const Line &line);
    void addSlice(const Event &event, Line &line);
    void describeHostEvent(SliceRecord &record, CollectiveInfo &collective,
                           const Event &event) const;
    NameId nameOf(const Event &event);
    std::uint64_t number(std::string_view stat) const;
    std::string_view text(std::string_view stat) const;
    void count(std::string_view code, Severity severity, std::uint64_t offset,
               std::string_view message);

    TraceSink &m_sink;
    const XSpaceOutline &m_outline;
    std::string m_file;
    WorkerId m_worker;
    XPlaneSteps m_steps;
    const bool m_hasKernels; ///< that communicate: they are the collectives, not ops of the host
    std::map<std::string, std::uint64_t> m_counts; ///< by plane, for devices by plane and line
    std::vector<XStat> m_stats; ///< of the event at hand and of its kind
};

} // namespace core
