#include "core/import/dpro/dpro_server_importers.h"

#include "core/base/ascii_text.h"
#include "core/import/chrome/chrome_slices.h"
#include "core/import/round_counter.h"
#include "core/import/row_cache.h"
#include "core/import/text/json_object.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr int MostMachines = 4096;
    constexpr int MostLocalRanks = 256;
    constexpr std::size_t MostRanks = 16'384;
    constexpr std::string_view PartMark = "~PART";

    std::optional<int> numberAfter(std::string_view text, std::string_view word)
    {
        if (!text.starts_with(word))
            return std::nullopt;
        text.remove_prefix(word.size());
        int number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool isWhole = error == std::errc {} && end == text.data() + text.size();
        return isWhole && number >= 0 && number < MostMachines ? std::optional(number)
                                                               : std::nullopt;
    }

    /// How many GPUs each worker has, by the folders traces_<worker>/<local rank> of the bundle.
    std::vector<int> localRanks(const BundleEntry &entry)
    {
        const auto has = [&entry](std::size_t worker, int local) {
            const std::string folder
                = "traces_" + std::to_string(worker) + '/' + std::to_string(local) + '/';
            return entry.hasOther(folder + "comm.json") || entry.hasOther(folder + "trace.json.gz");
        };
        std::vector<int> counts;
        while (counts.size() < MostMachines && has(counts.size(), 0)) {
            int count = 1;
            while (count < MostLocalRanks && has(counts.size(), count))
                ++count;
            counts.push_back(count);
        }
        return counts;
    }

    /// Ranks of machines by name: "worker_1", "server_0".
    class Machines
    {
    public:
        explicit Machines(const BundleEntry &entry)
            : m_localRanks(localRanks(entry))
        {
        }

        /// `workers`: how many there are where the bundle has none of their folders.
        std::optional<int> rankOf(std::string_view machine, int workers) const
        {
            if (const auto worker = numberAfter(machine, "worker_"))
                return m_localRanks.empty() ? *worker : ranksBefore(*worker + 1) - 1;
            if (const auto server = numberAfter(machine, "server_"))
                return *server
                    + (m_localRanks.empty() ? workers
                                            : ranksBefore(static_cast<int>(m_localRanks.size())));
            return std::nullopt;
        }

    private:
        /// A worker without folders is taken to have one GPU.
        int ranksBefore(int worker) const
        {
            int ranks = 0;
            for (int i = 0; i < worker; ++i)
                ranks += i < static_cast<int>(m_localRanks.size())
                    ? m_localRanks[static_cast<std::size_t>(i)]
                    : 1;
            return ranks;
        }

        std::vector<int> m_localRanks;
    };

    /// "Comm.grad_0~PART1.PUSH" or "grad_0.PUSH".
    struct EventName
    {
        std::string tensor;
        std::string_view op;
        std::optional<int> part;
    };

    EventName parsedName(std::string_view name)
    {
        EventName parsed;
        const std::size_t last = std::min(name.rfind('.'), name.size());
        parsed.op = name.substr(std::min(last + 1, name.size()));
        std::string_view tensor = name.substr(0, last);
        tensor = tensor.substr(tensor.starts_with("Comm.") ? 5 : 0);
        if (const std::size_t mark = tensor.find(PartMark); mark != std::string_view::npos) {
            parsed.part = numberAfter(tensor.substr(mark), PartMark);
            tensor = tensor.substr(0, mark);
        }
        parsed.tensor = tensor;
        return parsed;
    }

    /// What both files share: processes by name, and a worker of the sink for each machine.
    class MachineReader : public ChromeSliceConsumer
    {
    public:
        MachineReader(const BundleEntry &entry, TraceSink &sink)
            : m_sink(sink)
            , m_file(entry.name())
            , m_machines(entry)
            , m_rows(sink, m_file)
        {
        }

        void addMetadata(std::string_view name, std::string_view pid, std::string_view,
                         std::string_view args) override
        {
            const std::string text = textMember(objectFrom(args), "name");
            if (name != "process_name" || text.empty())
                return;
            std::string &process = m_processes[std::string(pid)];
            process = trimmed(text);
            for (const std::string_view end : ends(process))
                m_workerCount
                    = std::max(m_workerCount, numberAfter(end, "worker_").value_or(-1) + 1);
        }

        void finish(const ChromeSlices::Counts &counts)
        {
            for (const auto &[machine, worker] : m_workers) {
                WorkerInfo info;
                info.rank = rankOf(machine);
                m_sink.describeWorker(worker, info);
            }
            for (const auto &[category, count] : counts)
                if (!m_workers.empty())
                    m_sink.countEvents(m_workers.begin()->second, category, count);
        }

    protected:
        std::string processOf(const ChromeSlice &slice) const
        {
            const auto known = m_processes.find(slice.pid);
            return known == m_processes.end() ? std::string() : known->second;
        }

        /// The names of all processes stand before the events.
        std::optional<int> rankOf(std::string_view machine) const
        {
            return m_machines.rankOf(machine, m_workerCount);
        }

        static std::vector<std::string_view> ends(std::string_view process)
        {
            const std::size_t arrow = process.find("->");
            if (arrow == std::string_view::npos)
                return { process };
            return { trimmed(process.substr(0, arrow)), trimmed(process.substr(arrow + 2)) };
        }

        void store(const std::string &machine, TrackKind kind, const std::string &row,
                   const ChromeSlice &slice, SliceRecord record)
        {
            auto worker = m_workers.find(machine);
            if (worker == m_workers.end()) {
                if (m_workers.size() >= MostRanks)
                    return noteNoMachine();
                worker = m_workers.emplace(machine, m_sink.addWorker()).first;
            }
            record.startNs = slice.startNs;
            record.durationNs = slice.durationNs;
            record.name = m_sink.intern(slice.name);
            m_sink.slice(m_rows.row(worker->second, { kind, machine, row, std::nullopt }, row),
                         record);
        }

        void noteNoMachine()
        {
            m_sink.diagnostics().count("no-machine", Severity::Error, { m_file, std::nullopt },
                                       "events whose process is not named as a machine (worker_0, "
                                       "server_0) were left out: "
                                       "the file is damaged, write it again with dPRO");
        }

    private:
        TraceSink &m_sink;
        std::string m_file;
        Machines m_machines;
        std::map<std::string, std::string, std::less<>> m_processes; ///< by pid
        int m_workerCount = 0;
        std::map<std::string, WorkerId> m_workers; ///< by machine
        RowCache m_rows;
    };

    class CommReader : public MachineReader
    {
    public:
        CommReader(const BundleEntry &entry, TraceSink &sink)
            : MachineReader(entry, sink)
            , m_rounds(sink, entry.name())
        {
        }

        /// One record is one transfer: it is a slice on either end.
        void addSlice(const ChromeSlice &slice) override
        {
            const std::string process = processOf(slice);
            const std::vector<std::string_view> both = ends(process);
            if (both.size() != 2 || !rankOf(both[0]) || !rankOf(both[1])) {
                noteNoMachine();
                return;
            }
            const std::string source(both[0]), target(both[1]);
            const EventName name = parsedName(slice.name);
            const auto round = m_rounds.next(process + '/' + std::string(slice.name));
            const std::string transaction = name.tensor + '/' + std::string(name.op)
                + (source.starts_with("server") ? "_RES" : "_REQ") + '/' + source + " to " + target
                + "/round " + std::to_string(round.value_or(0));
            SliceRecord record;
            record.category = Category::CommOp;
            TransferInfo transfer;
            transfer.channel = name.part;
            transfer.transaction = transaction;
            record.transfer = round ? &transfer : nullptr;
            transfer.isSend = true;
            transfer.peer = rankOf(target);
            store(source, TrackKind::Annotation, "to " + target, slice, record);
            transfer.isSend = false;
            transfer.peer = rankOf(source);
            store(target, TrackKind::Annotation, "from " + source, slice, record);
        }

    private:
        RoundCounter m_rounds;
    };

    class ServerReader : public MachineReader
    {
    public:
        using MachineReader::MachineReader;

        void addSlice(const ChromeSlice &slice) override
        {
            const std::string machine = processOf(slice);
            if (!rankOf(machine)) {
                noteNoMachine();
                return;
            }
            SliceRecord record;
            record.category = Category::CpuOp;
            store(machine, TrackKind::HostThread, "thread " + std::string(slice.tid), slice,
                  record);
        }
    };

    template <class Reader>
    void readMachines(BundleEntry &entry, TraceSink &sink, const JobControl &control)
    {
        Reader reader(entry, sink);
        ChromeSlices slices(reader, sink, entry.name());
        readChromeTrace(entry, sink.diagnostics(), slices, control);
        slices.finish();
        reader.finish(slices.counts());
    }

    bool has(std::string_view head, std::string_view word)
    {
        return head.find(word) != std::string_view::npos;
    }

} // namespace

bool DproServerCommImporter::recognizes(std::string_view, std::string_view head) const
{
    const std::size_t worker = std::min(head.find("\"worker_"), head.find("\"server_"));
    return has(head, "\"ph\"") && worker != std::string_view::npos
        && has(head.substr(worker, 32), "->");
}

void DproServerCommImporter::read(BundleEntry &entry, TraceSink &sink,
                                  const JobControl &control) const
{
    readMachines<CommReader>(entry, sink, control);
}

bool DproServerImporter::recognizes(std::string_view, std::string_view head) const
{
    return has(head, "\"ph\"") && has(head, "\"server_0")
        && (has(head, ".COPY_FIRST\"") || has(head, ".COPY_MERGED\"") || has(head, ".SUM"));
}

void DproServerImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    readMachines<ServerReader>(entry, sink, control);
}

} // namespace core
