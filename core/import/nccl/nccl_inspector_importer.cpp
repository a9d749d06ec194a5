#include "core/import/nccl/nccl_inspector_importer.h"

#include "core/import/checked_index.h"
#include "core/import/checked_range.h"
#include "core/import/kineto/kineto_collectives.h"
#include "core/import/nccl/nccl_names.h"
#include "core/import/nccl/nccl_ranks.h"
#include "core/import/row_cache.h"
#include "core/import/text/json_lines.h"
#include "core/import/text/json_object.h"
#include "core/import/text/text_head.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

namespace {

    constexpr std::int64_t NsPerUs = 1000;

    const nlohmann::json &memberOf(const nlohmann::json &object, const char *key)
    {
        static const nlohmann::json none;
        const auto found = object.find(key);
        return object.is_object() && found != object.end() ? *found : none;
    }

    std::optional<std::uint64_t> numberOf(const nlohmann::json &value)
    {
        return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>())
                                          : std::nullopt;
    }

    std::optional<int> indexOf(const nlohmann::json &value)
    {
        return checkedIndex(numberOf(value));
    }

    /// Microseconds since the Unix epoch; 0 stands where no time was taken.
    std::optional<std::int64_t> timeOf(const nlohmann::json &value)
    {
        constexpr auto Latest
            = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / NsPerUs);
        const std::optional<std::uint64_t> us = numberOf(value);
        if (!us || *us == 0 || *us > Latest)
            return std::nullopt;
        return static_cast<std::int64_t>(*us) * NsPerUs;
    }

    std::optional<TimeRange> rangeOf(const nlohmann::json &times, const char *begin,
                                     const char *end)
    {
        const std::optional<std::int64_t> startNs = timeOf(memberOf(times, begin));
        const std::optional<std::int64_t> endNs = timeOf(memberOf(times, end));
        return checkedRange(startNs, endNs);
    }

    class InspectorReader
    {
    public:
        InspectorReader(TraceSink &sink, const std::string &file)
            : m_sink(sink)
            , m_file(file)
            , m_ranks(sink, file)
            , m_rows(sink, file)
        {
        }

        void addLine(const nlohmann::json &line, std::uint64_t offset)
        {
            m_offset = offset;
            const char *kind = kindOf(line);
            const bool isKnown = memberOf(line, "header").is_object() ? takeHeader(line, kind)
                                                                      : isAfterMarker(kind);
            if (!isKnown || kind == nullptr) {
                addStray();
                return;
            }
            ++m_counts[{ m_worker, kind }];
            if (kind != StatisticsKey)
                addOperation(line[kind], kind == PointToPointKey);
        }

        void finish()
        {
            if (m_strays > 0)
                m_counts[{ m_counts.empty() ? m_sink.addWorker() : m_counts.begin()->first.first,
                           "other" }]
                    += m_strays;
            for (const auto &[key, number] : m_counts)
                m_sink.countEvents(key.first, key.second, number);
            m_ranks.describeAll();
            tellDrops();
        }

    private:
        static constexpr const char *CollectiveKey = "coll_perf";
        static constexpr const char *PointToPointKey = "p2p_perf";
        static constexpr const char *StatisticsKey = "dump_stats";

        static const char *kindOf(const nlohmann::json &line)
        {
            for (const char *kind : { CollectiveKey, PointToPointKey, StatisticsKey }) {
                if (memberOf(line, kind).is_object())
                    return kind;
            }
            return nullptr;
        }

        /// Who wrote the line. Since 4.3 a marker (dump_stats) says that for the records behind it,
        /// and how many these are.
        bool takeHeader(const nlohmann::json &line, const char *kind)
        {
            const nlohmann::json &header = memberOf(line, "header");
            const nlohmann::json &metadata = memberOf(line, "metadata");
            m_announced = {};
            m_process = std::to_string(numberOf(memberOf(metadata, "pid")).value_or(0));
            const std::optional<int> rank = indexOf(memberOf(header, "rank"));
            if (!rank || kind == nullptr)
                return false;
            m_member = { textMember(metadata, "hostname"), m_process, textMember(header, "id"),
                         *rank, indexOf(memberOf(header, "n_ranks")).value_or(0) };
            m_worker = m_ranks.workerOf(m_member, m_offset);
            if (kind == StatisticsKey) {
                const nlohmann::json &stats = line[kind];
                const auto number = [&stats](const char *key) {
                    return numberOf(memberOf(stats, key)).value_or(0);
                };
                m_announced[CollectiveKey] = number("coll_records");
                m_announced[PointToPointKey] = number("p2p_records");
                noteDrops({ number("coll_dropped_total"), number("p2p_dropped_total") });
            }
            return true;
        }

        /// Whether a record without a header is one that the marker before it announced: another
        /// communicator's marker may be lost.
        bool isAfterMarker(const char *kind)
        {
            if (kind == nullptr || m_announced[kind] == 0)
                return false;
            --m_announced[kind];
            return true;
        }

        void addStray()
        {
            m_sink.diagnostics().countLost(
                "unknown-record", Severity::Warning, { m_file, m_offset },
                "lines that tell no rank, or have no coll_perf, p2p_perf or dump_stats, were only "
                "counted. They are not of the Inspector's formats 4.0 to 4.3, or the dump_stats "
                "line with their rank is damaged");
            ++m_strays;
        }

        struct Drops
        {
            std::uint64_t collectives = 0, pointToPoint = 0; ///< of all the run so far
        };

        void noteDrops(const Drops &drops)
        {
            Drops &known = m_drops[{ m_worker, m_member.communicator }];
            known.collectives = std::max(known.collectives, drops.collectives);
            known.pointToPoint = std::max(known.pointToPoint, drops.pointToPoint);
        }

        void tellDrops()
        {
            Drops all;
            for (const auto &[communicator, drops] : m_drops) {
                all.collectives = saturatedSum(all.collectives, drops.collectives);
                all.pointToPoint = saturatedSum(all.pointToPoint, drops.pointToPoint);
            }
            if (all.collectives == 0 && all.pointToPoint == 0)
                return;
            m_sink.diagnostics().add(
                { "records-dropped",
                  Severity::Warning,
                  1,
                  m_file,
                  {},
                  "The Inspector overwrote records before it wrote them: "
                      + std::to_string(all.collectives) + " of collectives, "
                      + std::to_string(all.pointToPoint)
                      + " of sends and receives. They are missing here, and other ranks' have no "
                        "partner. Let it write more often: "
                        "NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS",
                  /*losesRecords=*/false });
        }

        static std::uint64_t saturatedSum(std::uint64_t a, std::uint64_t b)
        {
            return a > std::numeric_limits<std::uint64_t>::max() - b
                ? std::numeric_limits<std::uint64_t>::max()
                : a + b;
        }

        void addOperation(const nlohmann::json &operation, bool isPointToPoint)
        {
            const nlohmann::json &times = memberOf(operation, "event_trace_ts");
            if (!times.is_object()) {
                m_sink.diagnostics().countLost(
                    "no-times", Severity::Warning, { m_file, m_offset },
                    "collectives have durations but no times (dump_timestamp_us is when the "
                    "record was written): they are counted and not on the timeline. Record with "
                    "NCCL_INSPECTOR_DUMP_VERBOSE=1");
                return;
            }
            nlohmann::json args = operation;
            args.erase("event_trace_ts");
            args.erase("event_trace_sn");
            m_args = args.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
            const std::string prefix = isPointToPoint ? "p2p" : "coll";
            const std::string name = textMember(operation, prefix.c_str());
            SliceRecord record;
            record.name = m_sink.intern(name);
            record.bytes
                = numberOf(memberOf(operation, (prefix + "_msg_size_bytes").c_str())).value_or(0);
            addHostCall(
                rangeOf(times, (prefix + "_start_ts").c_str(), (prefix + "_stop_ts").c_str()),
                record);
            addOnDevice(addChannels(memberOf(times, "kernel_events")), operation, isPointToPoint,
                        name, record);
        }

        void addHostCall(const std::optional<TimeRange> &range, SliceRecord record)
        {
            if (!range)
                return;
            record.category = Category::Runtime;
            record.bytes = 0;
            store(*range, { TrackKind::HostThread, m_process, "NCCL", {} }, "NCCL calls", record);
        }

        /// From the first start to the last stop of the kernel's channels.
        std::optional<TimeRange> addChannels(const nlohmann::json &channels)
        {
            std::optional<TimeRange> all;
            if (!channels.is_array())
                return all;
            for (const nlohmann::json &channel : channels) {
                const std::optional<TimeRange> range
                    = rangeOf(channel, "kernel_start_ts", "kernel_stop_ts");
                const std::optional<int> id = indexOf(memberOf(channel, "channel_id"));
                if (!range || !id)
                    continue;
                all = all ? checkedUnion(*all, *range) : *range;
                SliceRecord record;
                record.name = m_sink.intern("KernelCh");
                const std::string row = "kernel channel " + std::to_string(*id);
                store(*range, { TrackKind::Communication, m_process, row, {} }, "NCCL " + row,
                      record);
            }
            return all;
        }

        void addOnDevice(const std::optional<TimeRange> &range, const nlohmann::json &operation,
                         bool isPointToPoint, const std::string &name, SliceRecord record)
        {
            if (!range) {
                count("no-device-time", Severity::Warning,
                      "collectives without the times of their kernel are only there as host "
                      "calls. The plug-in needs NCCL 2.26 or later for kernel times");
                return;
            }
            record.category = Category::CommKernel;
            record.args = m_args;
            CollectiveInfo collective;
            TransferInfo transfer;
            std::string transaction;
            if (isPointToPoint) {
                transfer.isSend = name == "Send";
                transfer.peer = indexOf(memberOf(operation, "p2p_peer"));
                transaction = transfer.peer ? transactionOf(transfer.isSend, *transfer.peer) : "";
                transfer.transaction = transaction;
                record.transfer = transaction.empty() ? nullptr : &transfer;
            } else {
                collective.kind = collectiveKind(name);
                collective.group = m_member.communicator;
                collective.sequence = numberOf(memberOf(operation, "coll_sn"));
                if (m_member.size > 0)
                    collective.groupSize = m_member.size;
                record.collective = &collective;
            }
            store(*range, { TrackKind::Stream, m_process, m_member.communicator, {} },
                  "NCCL " + m_member.communicator, record);
        }

        std::string transactionOf(bool isSend, int peer)
        {
            const int source = isSend ? m_member.rank : peer;
            const int destination = isSend ? peer : m_member.rank;
            const std::optional<std::uint64_t> number
                = m_pointToPoint.next(m_member.communicator, source, destination, isSend);
            if (!number) {
                count("too-many-peers", Severity::Warning,
                      "sends and receives between more than a million pairs of ranks: those of "
                      "the further ones are not matched. The file is damaged, record again");
                return {};
            }
            return ncclTransaction(m_member.communicator, "p2p " + std::to_string(*number), source,
                                   destination, -1);
        }

        void store(const TimeRange &range, const TrackSpec &spec, const std::string &rowName,
                   SliceRecord record)
        {
            record.startNs = range.startNs;
            record.durationNs = range.durationNs();
            m_sink.slice(m_rows.row(m_worker, spec, rowName), record);
        }

        void count(std::string_view code, Severity severity, std::string_view message)
        {
            m_sink.diagnostics().count(code, severity, { m_file, m_offset }, message);
        }

        TraceSink &m_sink;
        std::string m_file;
        NcclRanks m_ranks;
        std::map<std::pair<WorkerId, std::string>, std::uint64_t> m_counts;
        RowCache m_rows;
        NcclPointToPoint m_pointToPoint;
        std::uint64_t m_strays = 0;
        std::map<std::pair<WorkerId, std::string>, Drops> m_drops; ///< by communicator
        std::map<std::string_view, std::uint64_t> m_announced; ///< records of the last marker
        // of the current line
        NcclRanks::Member m_member;
        WorkerId m_worker;
        std::string m_process, m_args;
        std::uint64_t m_offset = 0;
    };

} // namespace

bool NcclInspectorImporter::recognizes(std::string_view, std::string_view head) const
{
    if (firstCharacter(head) != '{')
        return false;
    const auto has = [head](std::string_view key) { return head.find(key) != head.npos; };
    return has("\"header\"") && has("\"inspector_output_format_version\"");
}

void NcclInspectorImporter::read(BundleEntry &entry, TraceSink &sink,
                                 const JobControl &control) const
{
    InspectorReader reader(sink, entry.name());
    readJsonLines(entry, sink.diagnostics(), control,
                  [&reader](const nlohmann::json &line, std::string_view, std::uint64_t offset) {
                      reader.addLine(line, offset);
                  });
    reader.finish();
}

} // namespace core
