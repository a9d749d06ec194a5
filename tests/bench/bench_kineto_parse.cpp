// Kineto events to names, exact times, links and arguments, by the importer's own scanner and by
// two JSON libraries. The importer does more than these, which neither tell rows and categories
// apart nor hand on arguments, and it is the only one that goes on after damage. simdjson finds the
// structure of all text first and walks it again, also of the arguments that are skipped; without
// AVX2 and PCLMUL its on-demand interface falls back to scalar code. RapidJSON parses in situ, so
// it needs the whole file; the importer a window of 512 KiB. So traces are read without a JSON
// library.
#include "core/bundle/bundle.h"
#include "tests/bench/kineto_parsers.h"
#include "tests/support/generate/generate_kineto.h"
#include "tests/support/shared_data.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <sstream>
#include <vector>

namespace {

/// 50 MB generated; 1 MB in a smoke test, which only shows that all parsers still agree.
const std::string &generated()
{
    static const std::string text = [] {
        std::ostringstream out;
        const bool isSmoke = std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr;
        tests::generateKineto(out, { .events = isSmoke ? 4000U : 200000U });
        return out.str();
    }();
    return text;
}

/// A recorded trace of 53 MB with kernels, runtime calls and memory instants; empty without it.
const std::string &recorded()
{
    static const std::string text = [] {
        std::string all;
        const auto shared = tests::sharedData();
        if (!shared || std::getenv("LONGPOLE_BENCH_SMOKE") != nullptr)
            return all;
        const auto entry
            = core::openBundle({ *shared / "data/real/hta/df_index_resolver" })->open(0);
        std::vector<char> block(1 << 20);
        while (const std::size_t count = entry->read(block))
            all.append(block.data(), count);
        return all;
    }();
    return text;
}

void report(benchmark::State &state, const std::string &text, const bench::Extracted &extracted)
{
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
    state.counters["events"] = static_cast<double>(extracted.events);
    bench::Extracted expected = bench::withImporter(text);
    if (expected.events != extracted.events || expected.slices != extracted.slices
        || expected.linkSum != extracted.linkSum)
        state.SkipWithError("extracts something else than the importer");
}

template <const std::string &(*text)()>
void importer(benchmark::State &state)
{
    bench::Extracted extracted;
    for (auto _ : state)
        extracted = bench::withImporter(text());
    report(state, text(), extracted);
}

#ifdef LONGPOLE_HAS_RAPIDJSON
template <const std::string &(*text)()>
void rapidJsonInSitu(benchmark::State &state)
{
    bench::Extracted extracted;
    for (auto _ : state) {
        state.PauseTiming();
        std::string copy = text(); // parsing in situ destroys it
        state.ResumeTiming();
        extracted = bench::withRapidJson(copy);
    }
    report(state, text(), extracted);
}
#endif

#ifdef LONGPOLE_HAS_SIMDJSON
template <const std::string &(*text)(), bench::Extracted (*parse)(const std::string &)>
void simdJson(benchmark::State &state)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        state.SkipWithError("was compiled for AVX2");
        return;
    }
#endif
    bench::Extracted extracted;
    for (auto _ : state)
        extracted = parse(text());
    report(state, text(), extracted);
}
#endif

template <const std::string &(*text)()>
void registerAll(const std::string &input)
{
    const auto add = [&input](const char *parser, void (*function)(benchmark::State &)) {
        benchmark::RegisterBenchmark((parser + ("/" + input)).c_str(), function)
            ->MeasureProcessCPUTime() // the importer scans on a thread of its own
            ->Unit(benchmark::kMillisecond);
    };
    add("importer", &importer<text>);
#ifdef LONGPOLE_HAS_RAPIDJSON
    add("rapidjson_sax_in_situ", &rapidJsonInSitu<text>);
#endif
#ifdef LONGPOLE_HAS_SIMDJSON
    add("simdjson_on_demand", &simdJson<text, &bench::withSimdJson>);
    add("simdjson_document", &simdJson<text, &bench::withSimdJsonDocument>);
    add("splitter_and_simdjson", &simdJson<text, &bench::withSplitterAndSimdJson>);
#endif
}

const bool isRegistered = [] {
    registerAll<generated>("generated");
    if (!recorded().empty())
        registerAll<recorded>("recorded");
    return true;
}();

} // namespace
