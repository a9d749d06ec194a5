#include "core/import/dpro/dpro_rank.h"

#include "core/import/text/json_object.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::array Collectives
        = { std::string_view("NCCL_ALLREDUCE"), std::string_view("ALLREDUCE") };
    constexpr std::array Sends
        = { std::string_view("SEND"), std::string_view("PUSH_REQ"), std::string_view("PULL_REQ") };
    constexpr std::array Receives
        = { std::string_view("RECV"), std::string_view("PUSH_RES"), std::string_view("PULL_RES") };

    template <class List>
    bool contains(const List &list, std::string_view text)
    {
        return std::find(list.begin(), list.end(), text) != list.end();
    }

    std::optional<int> numberIn(const nlohmann::json &args, const char *key)
    {
        const auto found = args.find(key);
        if (found == args.end() || !found->is_number_integer())
            return std::nullopt;
        const auto number = found->get<std::int64_t>();
        return number >= 0 && number <= 1'000'000'000 ? std::optional(static_cast<int>(number))
                                                      : std::nullopt;
    }

} // namespace

struct DproRank::Event
{
    DproName name;
    nlohmann::json args;
};

DproRank::DproRank(TraceSink &sink, WorkerId worker, std::optional<int> device,
                   const DproModel &model, DproTables &tables)
    : m_sink(sink)
    , m_worker(worker)
    , m_device(device)
    , m_model(model)
    , m_tables(tables)
    , m_steps(tables.steps)
{
}

void DproRank::setRings(int rank, NcclRings rings)
{
    m_rank = rank;
    m_rings = std::move(rings);
}

void DproRank::add(const ChromeSlice &slice)
{
    const Event event { parseDproName(slice.name), objectFrom(slice.args) };
    const std::string_view subOp = event.name.subOp;
    if (const auto step = numberIn(event.args, "step"))
        m_steps.add(*step, { slice.startNs, slice.startNs + slice.durationNs });
    if (event.name.category != "Comm") {
        addComputation(slice, event);
    } else if (contains(Collectives, subOp)) {
        addCollective(slice, event);
    } else if (contains(Sends, subOp) || contains(Receives, subOp)) {
        addTransfer(slice, event);
    } else {
        SliceRecord record;
        record.category = Category::UserAnnotation;
        store(TrackKind::Annotation, "Comm." + std::string(event.name.op), slice, record);
    }
}

void DproRank::addComputation(const ChromeSlice &slice, const Event &event)
{
    SliceRecord record;
    const bool isInput = event.name.category.starts_with("I/O");
    record.category = isInput ? Category::CpuOp : Category::Kernel;
    store(isInput ? TrackKind::HostThread : TrackKind::Stream,
          isInput ? std::string("input ") + std::string(slice.tid) : std::string(slice.tid), slice,
          record);
}

void DproRank::addCollective(const ChromeSlice &slice, const Event &event)
{
    std::uint64_t bytes = 0;
    const std::vector<TensorId> tensors = tensorsOf(event.name.op, bytes);
    CollectiveInfo collective;
    collective.kind = "all_reduce";
    collective.group = "dpro";
    collective.tensors = tensors;
    SliceRecord record;
    record.category = Category::CommOp;
    record.collective = &collective;
    record.bytes = bytes;
    store(TrackKind::Communication, "collectives", slice, record);
}

void DproRank::addTransfer(const ChromeSlice &slice, const Event &event)
{
    std::vector<int> place = dproNumbers(event.name.suffix, '_');
    const nlohmann::json &args = event.args;
    if (const auto loop = numberIn(args, "loopId"))
        place = { *loop, numberIn(args, "channelId").value_or(0),
                  numberIn(args, "chunkId").value_or(0), numberIn(args, "sliceId").value_or(0) };
    TransferInfo transfer;
    transfer.isSend = contains(Sends, event.name.subOp);
    if (place.size() == 4) {
        transfer.channel = place[1];
        const auto ring = m_rings.find(place[1]);
        if (ring != m_rings.end())
            transfer.peer = transfer.isSend ? ring->second.next : ring->second.previous;
    }
    const std::optional<std::string> transaction = transactionOf(event, place, transfer);
    SliceRecord record;
    record.category = Category::CommOp;
    if (transaction) {
        transfer.transaction = *transaction;
        record.transfer = &transfer;
    }
    const std::string row = transfer.channel
        ? "network channel " + std::to_string(*transfer.channel)
        : std::string("network");
    store(TrackKind::Annotation, row + (transfer.isSend ? " send" : " recv"), slice, record);
}

/// What both ends of a transfer call it (dPRO matches them by position in the ring, without ids):
/// tensors, loop, chunk and slice, the two ranks, and how often that came before. Absent where that
/// is not known, see RoundCounter.
std::optional<std::string> DproRank::transactionOf(const Event &event,
                                                   const std::vector<int> &place,
                                                   const TransferInfo &transfer)
{
    std::string text(event.name.op);
    if (place.size() == 4)
        text += "/loop " + std::to_string(place[0]) + "/chunk " + std::to_string(place[2])
            + "/slice " + std::to_string(place[3]);
    else if (!event.name.suffix.empty())
        text += '/' + std::string(event.name.suffix);
    if (place.size() != 4)
        text += '/' + std::string(event.name.subOp);
    if (m_rank && transfer.peer)
        text += "/rank " + std::to_string(transfer.isSend ? *m_rank : *transfer.peer) + " to "
            + std::to_string(transfer.isSend ? *transfer.peer : *m_rank);
    const std::string key = text + (transfer.isSend ? ">" : "<")
        + std::to_string(transfer.channel.value_or(0)) + '@' + std::to_string(m_worker.value);
    const auto round = m_tables.rounds.next(key);
    return round ? std::optional(text + "/round " + std::to_string(*round)) : std::nullopt;
}

/// `bytes`: of all of them; 0 where one's size is not known.
std::vector<TensorId> DproRank::tensorsOf(std::string_view numbers, std::uint64_t &bytes)
{
    std::vector<TensorId> tensors;
    bool isKnown = true;
    const auto add = [&](std::string_view name) {
        const TensorRecord tensor = m_model.tensor(name);
        isKnown
            = isKnown && tensor.bytes != 0 && !__builtin_add_overflow(bytes, tensor.bytes, &bytes);
        tensors.push_back(m_sink.tensor(m_worker, tensor));
    };
    const std::vector<std::string> &gradients = m_model.gradients();
    for (const int number : dproNumbers(numbers, '+')) {
        const auto place = static_cast<std::size_t>(number);
        const bool isNamed = place < gradients.size() && !gradients[place].empty();
        add(isNamed ? gradients[place] : "tensor " + std::to_string(number));
    }
    if (tensors.empty() && !numbers.empty())
        add(numbers);
    bytes = isKnown ? bytes : 0;
    return tensors;
}

void DproRank::store(TrackKind kind, std::string_view row, const ChromeSlice &slice,
                     SliceRecord record)
{
    const auto device = kind == TrackKind::Stream ? m_device : std::nullopt;
    const TrackId track
        = m_tables.rows.row(m_worker, { kind, "dpro", row, device }, std::string(row));
    record.startNs = slice.startNs;
    record.durationNs = slice.durationNs;
    record.name = m_sink.intern(parseDproName(slice.name).standard);
    record.args = slice.args;
    m_sink.slice(track, record);
}

void DproRank::finish()
{
    m_steps.deliver(m_sink, m_worker);
}

} // namespace core
