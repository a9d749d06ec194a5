// Any bytes, read by one importer: it may refuse them, but not crash, hang, take unbounded memory
// or break the sink's contract. FUZZ_IMPORTER is the importer's name, FUZZ_ENTRY the entry's.
#include "core/base/error.h"
#include "core/import/importer.h"
#include "core/import/unknown_format.h"
#include "tests/fuzz/checking_sink.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

/// Other files of the bundle hold the same bytes, so that what reads them is tried too.
class FuzzedEntry : public tests::MemoryEntry
{
public:
    FuzzedEntry(const std::string &name, const std::string &text)
        : MemoryEntry(text, 4096)
        , m_text(text)
    {
        setName(name);
    }

    std::unique_ptr<core::BundleEntry> openOther(std::string_view relativePath) const override
    {
        return std::make_unique<FuzzedEntry>(
            relativePath.empty() ? name() : std::string(relativePath), m_text);
    }

private:
    std::string m_text;
};

const core::Importer &importerNamed(std::string_view name)
{
    const auto found
        = std::find_if(core::importers().begin(), core::importers().end(),
                       [name](const auto &importer) { return importer->name() == name; });
    if (found == core::importers().end()) {
        std::fprintf(stderr, "there is no importer named %s\n", FUZZ_IMPORTER);
        std::exit(2);
    }
    return **found;
}

/// Records are sealed with checksums that no fuzzer guesses: for our own recordings the input says
/// kind, payload's size and payload of one record after the other.
std::string sealedRecording(const std::uint8_t *data, std::size_t size)
{
    tests::Recording recording;
    for (std::size_t at = 0; at + 2 <= size;) {
        const auto kind = static_cast<collectors::RecordKind>(data[at]);
        const std::size_t payload = std::min<std::size_t>(data[at + 1], size - at - 2);
        recording.addBytes(kind, { reinterpret_cast<const char *>(data + at + 2), payload });
        at += 2 + payload;
    }
    return recording.bytes();
}

std::string contentsOf(const std::uint8_t *data, std::size_t size)
{
    if (std::string_view(FUZZ_IMPORTER).starts_with("longpole-"))
        return sealedRecording(data, size);
    return { reinterpret_cast<const char *>(data), size };
}

} // namespace

// libFuzzer calls a function of this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const core::Importer &importer = importerNamed(FUZZ_IMPORTER);
    const std::string text = contentsOf(data, size);
    const std::string name = FUZZ_ENTRY;
    for (const auto &other : core::importers())
        other->recognizes(name, text);
    core::describeUnknown(name, text);
    FuzzedEntry entry(name, text);
    fuzz::CheckingSink sink;
    try {
        importer.read(entry, sink, {});
    } catch (const core::Error &) {
        // refused: as good as read
    }
    return 0;
}
