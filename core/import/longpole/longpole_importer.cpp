#include "core/import/longpole/longpole_importer.h"

#include "collectors/format/record_scanner.h"
#include "core/import/entry_reader.h"
#include "core/import/held_share.h"
#include "core/import/longpole/longpole_names.h"
#include "core/import/longpole/longpole_translator.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t RecordingBlockSize = 256 * 1024;

    using OnRecord = std::function<void(const collectors::RecordView &)>;

    /// Hands out all whole records of the entry.
    collectors::RecordScanner scan(BundleEntry &entry, Diagnostics &diagnostics,
                                   const JobControl &control, const OnRecord &onRecord)
    {
        const std::string stage = "import " + entry.name();
        collectors::RecordScanner scanner;
        EntryReader reader(entry, diagnostics);
        std::vector<char> block(RecordingBlockSize);
        collectors::RecordView record;
        for (bool isAtEnd = false; !isAtEnd;) {
            throwIfCancelled(control);
            control.report(entry.progress(), stage);
            const std::size_t count = reader.read(block);
            isAtEnd = count == 0;
            if (isAtEnd)
                scanner.finish();
            scanner.feed({ block.data(), count });
            while (scanner.next(record))
                onRecord(record);
        }
        return scanner;
    }

    void reportDamage(const collectors::RecordScanner &scanner, const std::string &file,
                      Diagnostics &diagnostics)
    {
        std::uint64_t places = scanner.skippedPlaces();
        if (scanner.endsInsideRecord() && places-- > 0)
            diagnostics.countLost("truncated-file", Severity::Warning, { file, {} },
                                  "the recording ends inside a record: the process or the copy was "
                                  "stopped while writing. Everything before was read");
        if (places > 0)
            diagnostics.add({ "damaged-record", Severity::Error, places, file,
                              scanner.firstSkipped(),
                              "damaged places, " + std::to_string(scanner.skippedBytes())
                                  + " bytes in all, were left out; reading went on at the next "
                                    "whole record. Copy the file again, or record again, and "
                                    "import it into a new project" });
    }

    std::uint32_t collectorOf(std::string_view head)
    {
        constexpr std::size_t At
            = 8 + sizeof(collectors::RecordHeader) + offsetof(collectors::FileHeader, collector);
        std::uint32_t collector = 0;
        if (head.size() >= At + sizeof(collector))
            std::memcpy(&collector, head.data() + At, sizeof(collector));
        return collector;
    }

} // namespace

std::string_view RecordedImporter::name() const
{
    switch (m_collector) {
    case collectors::CollectorCupti:
        return "longpole-cupti";
    case collectors::CollectorNvtx:
        return "longpole-nvtx";
    case collectors::CollectorNccl:
        return "longpole-nccl";
    case collectors::CollectorFramework:
        break;
    }
    return "longpole-framework";
}

/// A file whose collector cannot be told is read by the last importer.
bool RecordedImporter::recognizes(std::string_view, std::string_view head) const
{
    if (!collectors::isRecording(head))
        return false;
    const std::uint32_t collector = collectorOf(head);
    const bool isKnown = std::any_of(Collectors.begin(), Collectors.end(), [collector](auto known) {
        return static_cast<std::uint32_t>(known) == collector;
    });
    return isKnown ? collector == static_cast<std::uint32_t>(m_collector)
                   : m_collector == Collectors.back();
}

void RecordedImporter::read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const
{
    RecordedNames names(sink.diagnostics(), entry.name(), 2 * heldShare(sink));
    const auto again = openAgain(entry);
    Diagnostics ignored; // the second pass reports the same
    scan(*again, ignored, control.part(0, 0.3),
         [&names](const collectors::RecordView &record) { names.add(record); });
    RecordedTranslator translator(sink, entry.name(), names);
    const collectors::RecordScanner scanner
        = scan(entry, sink.diagnostics(), control.part(0.3, 1),
               [&translator](const collectors::RecordView &record) { translator.add(record); });
    reportDamage(scanner, entry.name(), sink.diagnostics());
    translator.finish();
}

} // namespace core
