#include "tests/fuzz/checking_sink.h"

#include <QString>
#include <QStringDecoder>

#include <cstdio>
#include <cstdlib>

namespace fuzz {

namespace {

    // Bounds for the inputs of the fuzzers, which are 16 KiB and three times that when every byte
    // becomes a U+FFFD: what is larger was made larger by the importer, and that without end. An
    // importer's own bound of names is at most 64 KiB, before they are cleaned.
    constexpr std::size_t LargestText = std::size_t { 1 } << 20U; // arguments, metadata
    constexpr std::size_t LargestName = std::size_t { 256 } << 10U;
    constexpr std::size_t LargestKey = std::size_t { 64 } << 10U; // of a row, a group, a category

    void require(bool holds, const char *what)
    {
        if (holds)
            return;
        std::fprintf(stderr, "the importer broke the sink's contract: %s\n", what);
        std::abort();
    }

    void requireText(std::string_view text, const char *what, std::size_t largest)
    {
        if (text.size() > largest)
            std::fprintf(stderr, "%zu bytes: ", text.size());
        require(text.size() <= largest, "a text is larger than the input can make it");
        QStringDecoder decoder(QStringDecoder::Utf8);
        const QString decoded
            = decoder(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
        require(!decoder.hasError(), what);
    }

    void requireId(std::uint32_t id, std::uint32_t count, const char *what)
    {
        require(id < count, what);
    }

} // namespace

core::NameId CheckingSink::intern(std::string_view text)
{
    requireText(text, "a name is no UTF-8", LargestName);
    return core::NameId(m_names++);
}

core::WorkerId CheckingSink::addWorker()
{
    require(m_workers < 1'000'000, "more than a million workers in a small file");
    return core::WorkerId(m_workers++);
}

void CheckingSink::describeWorker(core::WorkerId worker, const core::WorkerInfo &info)
{
    requireId(worker.value, m_workers, "an unknown worker");
    require(!info.rank || *info.rank >= 0, "a negative rank");
    requireText(info.host, "a host name is no UTF-8", LargestKey);
}

core::TrackId CheckingSink::track(core::WorkerId worker, const core::TrackSpec &spec)
{
    requireId(worker.value, m_workers, "an unknown worker");
    requireText(spec.pid, "a pid is no UTF-8", LargestKey);
    requireText(spec.tid, "a tid is no UTF-8", LargestKey);
    return core::TrackId(m_tracks++);
}

void CheckingSink::nameTrack(core::TrackId track, std::string_view name)
{
    requireId(track.value, m_tracks, "an unknown track");
    requireText(name, "a track's name is no UTF-8", LargestName);
}

void CheckingSink::slice(core::TrackId track, const core::SliceRecord &record)
{
    requireId(track.value, m_tracks, "an unknown track");
    requireId(record.name.value, m_names, "an unknown name");
    requireText(record.args, "arguments are no UTF-8", LargestText);
    require(record.args.empty() || (record.args.front() == '{' && record.args.back() == '}'),
            "arguments are no JSON object");
    if (record.collective) {
        requireText(record.collective->kind, "a collective's kind is no UTF-8", LargestKey);
        requireText(record.collective->group, "a process group is no UTF-8", LargestKey);
        for (const core::TensorId tensor : record.collective->tensors)
            requireId(tensor.value, m_tensors, "an unknown tensor");
    }
    if (record.transfer)
        requireText(record.transfer->transaction, "a transaction is no UTF-8", LargestName);
}

core::TensorId CheckingSink::tensor(core::WorkerId worker, const core::TensorRecord &record)
{
    requireId(worker.value, m_workers, "an unknown worker");
    requireText(record.name, "a tensor's name is no UTF-8", LargestName);
    requireText(record.dtype, "a tensor's type is no UTF-8", LargestKey);
    requireText(record.shape, "a tensor's shape is no UTF-8", LargestName);
    return core::TensorId(m_tensors++);
}

void CheckingSink::memory(core::WorkerId worker, const core::MemoryEvent &)
{
    requireId(worker.value, m_workers, "an unknown worker");
}

void CheckingSink::dependency(core::WorkerId worker, const core::DependencyEdge &edge)
{
    requireId(worker.value, m_workers, "an unknown worker");
    if (edge.key != core::DependencyKey::Name)
        return;
    require(edge.from < m_names && edge.to < m_names, "a dependency of an unknown name");
}

void CheckingSink::iteration(core::WorkerId worker, std::int64_t, core::TimeRange range)
{
    requireId(worker.value, m_workers, "an unknown worker");
    require(range.endNs >= range.startNs, "an iteration ends before it begins");
}

void CheckingSink::metadata(std::string_view name, std::string_view text)
{
    requireText(name, "metadata's name is no UTF-8", LargestKey);
    requireText(text, "metadata is no UTF-8", LargestText);
}

void CheckingSink::countEvents(core::WorkerId worker, std::string_view category, std::uint64_t)
{
    requireId(worker.value, m_workers, "an unknown worker");
    requireText(category, "a category is no UTF-8", LargestKey);
}

} // namespace fuzz
