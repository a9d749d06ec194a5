// Any bytes, read by one importer: it may refuse them, but not crash, hang, take unbounded memory
// or break the sink's contract. The environment says which: LONGPOLE_FUZZ_IMPORTER is the
// importer's name, LONGPOLE_FUZZ_ENTRY the entry's.
#include "core/base/error.h"
#include "core/import/importer.h"
#include "tests/fuzz/checking_sink.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace {

std::string setting(const char *name)
{
    const char *value = std::getenv(name);
    if (value == nullptr) {
        std::fprintf(stderr, "%s is not set: see tests/fuzz/CMakeLists.txt\n", name);
        std::exit(2);
    }
    return value;
}

struct Target
{
    const core::Importer &importer;
    std::string entryName;
    bool isSealed; ///< its records have checksums
};

const Target &target()
{
    static const Target theTarget = [] {
        const std::string name = setting("LONGPOLE_FUZZ_IMPORTER");
        const auto found = std::find_if(core::importers().begin(), core::importers().end(),
                                        [&name](const auto &one) { return one->name() == name; });
        if (found == core::importers().end()) {
            std::fprintf(stderr, "there is no importer named %s\n", name.c_str());
            std::exit(2);
        }
        return Target { **found, setting("LONGPOLE_FUZZ_ENTRY"), name.starts_with("longpole-") };
    }();
    return theTarget;
}

/// The entry and the other files of its bundle. A line "@@@ PATH" begins the file of that path; the
/// path "!" means that the entry cannot be read to its end.
std::unique_ptr<tests::MemoryEntry> entryOf(std::string_view text)
{
    constexpr std::string_view NextFile = "\n@@@ ";
    constexpr std::size_t BlockBytes = 4096;
    std::vector<std::pair<std::string, std::string>> files;
    std::string_view path;
    for (bool isLast = false; !isLast;) {
        const std::size_t end = text.find(NextFile);
        isLast = end == std::string_view::npos;
        files.emplace_back(path, text.substr(0, end));
        text.remove_prefix(isLast ? text.size() : end + NextFile.size());
        path = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), path.size() + 1));
    }
    const bool isCut = std::any_of(files.begin() + 1, files.end(),
                                   [](const auto &file) { return file.first == "!"; });
    auto entry = std::make_unique<tests::MemoryEntry>(files.front().second, BlockBytes,
                                                      isCut ? "the archive ends too early" : "");
    entry->setName(target().entryName);
    for (auto file = files.begin() + 1; file != files.end(); ++file)
        entry->addOther(file->first, file->second);
    return entry;
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
    if (target().isSealed)
        return sealedRecording(data, size);
    return { reinterpret_cast<const char *>(data), size };
}

} // namespace

// libFuzzer calls a function of this name.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = contentsOf(data, size);
    const auto entry = entryOf(text);
    fuzz::CheckingSink sink;
    try {
        target().importer.read(*entry, sink, {});
    } catch (const core::Error &) {
        // refused: as good as read
    }
    return 0;
}
