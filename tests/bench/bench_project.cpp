// The project file at one million slices a rank: saving, opening, drawing, SQL and searching. One
// rank, or as many as LONGPOLE_BENCH_RANKS says.
#include "core/project/read/project_reader.h"
#include "core/project/write/project_writer.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

constexpr std::size_t OpsEach = 1000; ///< 2 slices an op: host and device
constexpr std::int64_t Origin = 1'700'000'000'000'000'000;

std::size_t fromEnvironment(const char *name, std::size_t otherwise)
{
    const char *text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// A million slices; few in a smoke test.
std::size_t iterations()
{
    return std::getenv("LONGPOLE_BENCH_SMOKE") ? 10 : 500;
}

int ranks()
{
    return static_cast<int>(fromEnvironment("LONGPOLE_BENCH_RANKS", 1));
}

std::filesystem::path projectPath()
{
    return std::filesystem::temp_directory_path()
        / ("longpole-bench-" + std::to_string(getpid()) + ".longpole");
}

/// A number of about 150 bytes of arguments as PyTorch writes them.
std::string_view argsText(std::array<char, 256> &buffer, std::uint64_t number)
{
    const int size = std::snprintf(
        buffer.data(), buffer.size(),
        "{\"External id\": %llu, \"Sequence number\": %llu, \"Fwd thread id\": 0, \"Input "
        "Dims\": [[%llu, 512], [512, 1024]], \"Input type\": [\"float\", \"float\"], \"Ev Idx\": "
        "%llu}",
        static_cast<unsigned long long>(number), static_cast<unsigned long long>(number / 3),
        static_cast<unsigned long long>(32 + number % 64), static_cast<unsigned long long>(number));
    return { buffer.data(), static_cast<std::size_t>(size) };
}

/// Arguments of the last op of the last rank only.
constexpr std::string_view Needle = R"({"Process Group Name": "needle"})";

class Generator
{
public:
    Generator(core::TraceSink &sink, int rank)
        : m_sink(sink)
        , m_worker(sink.addWorker())
        , m_host(sink.track(m_worker, { core::TrackKind::HostThread, "1", "1", {} }))
        , m_stream(sink.track(m_worker, { core::TrackKind::Stream, "0", "7", 0 }))
    {
        for (int i = 0; i < 200; ++i)
            m_names.push_back(sink.intern("aten::operator_number_" + std::to_string(i)));
        sink.describeWorker(m_worker, { rank, ranks(), "host" });
        m_needle = rank == ranks() - 1 ? iterations() * OpsEach : 0;
    }

    void iteration(std::size_t number)
    {
        core::SliceRecord step;
        step.startNs = m_nowNs;
        step.durationNs = 12'000 * static_cast<std::int64_t>(OpsEach);
        step.name = m_sink.intern("ProfilerStep#" + std::to_string(number));
        step.category = core::Category::UserAnnotation;
        m_sink.slice(m_host, step);
        for (std::size_t op = 0; op < OpsEach; ++op)
            oneOp(op);
    }

private:
    void oneOp(std::size_t op)
    {
        ++m_number;
        core::SliceRecord record;
        const bool isInner = op % 4 != 0;
        record.startNs = m_nowNs + (isInner ? 500 : 0);
        record.durationNs = isInner ? 9'000 : 40'000;
        record.name = m_names[m_random() % m_names.size()];
        record.category = isInner ? core::Category::Runtime : core::Category::CpuOp;
        record.correlation = isInner ? m_number : 0;
        record.externalId = m_number;
        record.args = m_number == m_needle ? Needle : argsText(m_buffer, m_number);
        m_sink.slice(m_host, record);
        record.startNs += 30'000;
        record.durationNs = 5'000 + static_cast<std::int64_t>(m_random() % 5'000);
        record.category = core::Category::Kernel;
        record.correlation = m_number;
        m_sink.slice(m_stream, record);
        m_nowNs += 12'000;
    }

    core::TraceSink &m_sink;
    core::WorkerId m_worker;
    core::TrackId m_host, m_stream;
    std::vector<core::NameId> m_names;
    std::array<char, 256> m_buffer {};
    std::int64_t m_nowNs = Origin;
    std::uint64_t m_number = 0, m_needle = 0;
    std::mt19937 m_random { 7 };
};

void writeProject(const std::filesystem::path &path)
{
    std::filesystem::remove(path);
    core::ProjectWriter writer(path, false);
    for (int rank = 0; rank < ranks(); ++rank) {
        core::CollectedFile file({ "rank" + std::to_string(rank), "kineto", 1 });
        Generator generator(file, rank);
        for (std::size_t i = 0; i < iterations(); ++i)
            generator.iteration(i);
        writer.add(file, [] { return std::optional<int>(); }, {});
    }
    writer.finish();
}

/// One project for all benchmarks that read.
const core::ProjectReader &project()
{
    struct Kept
    {
        Kept() { writeProject(path); }
        ~Kept() { std::filesystem::remove(path); }
        std::filesystem::path path = projectPath();
    };
    static const Kept kept;
    static const core::ProjectReader reader(kept.path);
    return reader;
}

void write(benchmark::State &state)
{
    const std::filesystem::path path = projectPath().replace_extension("written");
    for (auto _ : state)
        writeProject(path);
    state.counters["slices/s"] = benchmark::Counter(
        static_cast<double>(2 * iterations() * OpsEach * state.iterations()) * ranks(),
        benchmark::Counter::kIsRate);
    state.counters["MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    std::filesystem::remove(path);
}

void reopen(benchmark::State &state)
{
    const std::filesystem::path path = project().path();
    for (auto _ : state) {
        const core::ProjectReader reader(path);
        benchmark::DoNotOptimize(reader.nameOf(core::NameId(1)));
    }
}

/// What the window does first: open, and read the whole time of every track at 2,000 pixels.
void firstScreen(benchmark::State &state)
{
    const std::filesystem::path path = project().path();
    for (auto _ : state) {
        const core::ProjectReader reader(path);
        for (const core::Track &track : reader.info().tracks)
            benchmark::DoNotOptimize(
                reader.readWindow(track.id, track.range, track.range.durationNs() / 2000));
    }
}

/// Windows at random places and zooms of random tracks, through a reader that has read nothing yet:
/// wall time of a single window, as quantiles.
void coldWindows(benchmark::State &state)
{
    constexpr std::size_t Count = 1000;
    std::vector<double> us;
    std::mt19937_64 random(1);
    for (auto _ : state) {
        const core::ProjectReader reader(project().path());
        for (std::size_t i = 0; i < Count; ++i) {
            const core::Track &track = reader.info().tracks[random() % reader.info().tracks.size()];
            const std::int64_t widthNs
                = std::max<std::int64_t>(track.range.durationNs() >> random() % 16, 2000);
            const auto spare = static_cast<std::uint64_t>(track.range.durationNs() - widthNs + 1);
            const std::int64_t from
                = track.range.startNs + static_cast<std::int64_t>(random() % spare);
            const auto begin = std::chrono::steady_clock::now();
            benchmark::DoNotOptimize(
                reader.readWindow(track.id, { from, from + widthNs }, widthNs / 2000));
            us.push_back(
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                    .count());
        }
    }
    std::sort(us.begin(), us.end());
    state.counters["p50_us"] = us[us.size() / 2];
    state.counters["p95_us"] = us[us.size() * 95 / 100];
    state.counters["max_us"] = us.back();
}

/// Windows at random places, 2,000 pixels wide; the argument is how many times the whole trace is
/// wider than the window.
void window(benchmark::State &state)
{
    const core::ProjectReader &reader = project();
    const core::TimeRange all = reader.info().alignedRange;
    const std::int64_t widthNs = all.durationNs() / state.range(0);
    std::mt19937_64 random(1);
    for (auto _ : state) {
        const auto track
            = core::TrackId(static_cast<std::uint32_t>(random() % reader.info().tracks.size()));
        const auto spare = static_cast<std::uint64_t>(all.durationNs() - widthNs + 1);
        const std::int64_t from = all.startNs + static_cast<std::int64_t>(random() % spare);
        benchmark::DoNotOptimize(
            reader.readWindow(track, { from, from + widthNs }, widthNs / 2000));
    }
}

void findByName(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(project().findByName("number_42", 1000));
}

/// A reader that has read nothing yet.
void findByNameCold(benchmark::State &state, const char *text)
{
    for (auto _ : state) {
        const core::ProjectReader reader(project().path());
        benchmark::DoNotOptimize(reader.findByName(text, 1000));
    }
}

/// `first_ms`: until the first hits are there.
void findByArgs(benchmark::State &state, const char *text, std::size_t limit)
{
    double firstMs = 0;
    std::size_t count = 0;
    for (auto _ : state) {
        const core::ProjectReader reader(project().path());
        const auto begin = std::chrono::steady_clock::now();
        bool isFirst = true;
        count = reader
                    .findByArgs(text, limit, {},
                                [&](auto) {
                                    if (isFirst)
                                        firstMs = std::chrono::duration<double, std::milli>(
                                                      std::chrono::steady_clock::now() - begin)
                                                      .count();
                                    isFirst = false;
                                })
                    .size();
    }
    state.counters["hits"] = static_cast<double>(count);
    state.counters["first_ms"] = firstMs;
}

void readTrace(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(project().readTrace({}));
}

void query(benchmark::State &state, const char *sql)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(project().query(sql, 1000, {}));
}

} // namespace

BENCHMARK(write)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(reopen)->Unit(benchmark::kMillisecond);
BENCHMARK(firstScreen)->Unit(benchmark::kMillisecond);
BENCHMARK(coldWindows)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(window)->RangeMultiplier(8)->Range(1, 1 << 15)->Unit(benchmark::kMicrosecond);
BENCHMARK(findByName)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByNameCold, one_of_200, "number_42")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByNameCold, one_step, "ProfilerStep#499")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByNameCold, nothing, "no such name")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByArgs, word_in_one_slice, "needle", 1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByArgs, number, "499999,", 1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByArgs, in_all, "Input Dims", 1000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(findByArgs, shape_ten_thousand, "[[77, 512]", 10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(readTrace)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, top_names,
                  "SELECT name, count(*), sum(dur_ns) FROM slice GROUP BY name "
                  "ORDER BY 3 DESC LIMIT 10")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, top_names_of_totals,
                  "SELECT name, sum(slice_count), sum(dur_ns) FROM slice_total GROUP BY name "
                  "ORDER BY 3 DESC LIMIT 10")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, roles, "SELECT role, sum(dur_ns) FROM slice GROUP BY role")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, one_name,
                  "SELECT count(*), sum(dur_ns) FROM slice WHERE name = 'aten::operator_number_42'")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, one_slice, "SELECT * FROM slice WHERE id = 543210")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(query, unordered_sum, "SELECT depth, sum(dur_ns) FROM slice GROUP BY depth")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
