#include "core/import/nsight/nvtx_payload.h"

#include "core/import/nsight/nsight_strings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace core {

namespace {

    constexpr std::size_t HeaderSize = 32;
    constexpr std::size_t MostFields = 100'000;
    constexpr std::size_t Unplaced = std::numeric_limits<std::size_t>::max();

    struct EntryType
    {
        std::size_t size = 0; ///< 0: not decoded here
        bool isSigned = false;
    };

    /// Integers of NVTX_PAYLOAD_ENTRY_TYPE_*, on Linux (long has 8 bytes).
    EntryType entryType(std::int64_t type)
    {
        switch (type) {
        case 5: // INT
        case 15: // INT32
            return { 4, true };
        case 6: // UINT
        case 16: // UINT32
            return { 4, false };
        case 7: // LONG
        case 9: // LONGLONG
        case 17: // INT64
            return { 8, true };
        case 8: // ULONG
        case 10: // ULONGLONG
        case 18: // UINT64
        case 22: // SIZE
        case 23: // ADDRESS
            return { 8, false };
        default:
            return {};
        }
    }

    std::uint64_t littleEndian(ByteSpan bytes)
    {
        std::uint64_t value = 0;
        for (std::size_t i = bytes.size(); i > 0; --i)
            value = value << 8U | bytes[i - 1];
        return value;
    }

    std::int64_t withSign(std::uint64_t value, std::size_t size)
    {
        return size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                         : static_cast<std::int64_t>(value);
    }

    void assign(NcclPayload &payload, std::string_view field, std::uint64_t value,
                std::int64_t withItsSign)
    {
        if (field == "NCCL communicator ID")
            payload.communicator = value;
        else if (field == "Message size [bytes]")
            payload.bytes = value;
        else if (field == "Rank")
            payload.rank = withItsSign;
        else if (field == "No. of ranks")
            payload.rankCount = withItsSign;
        else if (field == "Peer rank")
            payload.peer = withItsSign;
        else if (field == "Root")
            payload.root = withItsSign;
    }

} // namespace

NvtxPayloads::NvtxPayloads(NsightDatabase &db)
{
    db.forEachRow("NVTX_PAYLOAD_SCHEMA_ENTRIES",
                  { "domainId", "schemaId", "idx", "type", "name", "offset" },
                  [this](const NsightRow &row) { addField(row); });
    for (auto &schema : m_schemas)
        placeFields(schema.second);
}

void NvtxPayloads::addField(const NsightRow &row)
{
    enum Columns { InDomain, OfSchema, Index, Type, Name, Offset };
    const auto domain = row.natural(InDomain);
    const auto schema = row.natural(OfSchema);
    const auto index = row.natural(Index);
    const auto type = row.number(Type);
    if (!domain || !schema || !index || !type || m_fieldCount >= MostFields)
        return;
    const EntryType entry = entryType(*type);
    const Field field { nsightName(row.text(Name)), row.natural(Offset).value_or(Unplaced),
                        entry.size, entry.isSigned };
    // Every process registers its schemas, mostly the same ones.
    m_fieldCount += m_schemas[{ *domain, *schema }].try_emplace(*index, field).second ? 1 : 0;
}

/// A field without an offset follows the one before it, aligned to its own size.
void NvtxPayloads::placeFields(Schema &schema)
{
    std::size_t end = 0;
    for (auto &[index, field] : schema) {
        if (field.offset == Unplaced && field.size > 0 && end != Unplaced)
            field.offset = (end + field.size - 1) / field.size * field.size;
        // Behind a field of unknown size nothing can be placed.
        const bool isPlaced = field.offset < Unplaced - field.size && field.size > 0;
        end = isPlaced ? field.offset + field.size : Unplaced;
    }
}

NcclPayload NvtxPayloads::decode(ByteSpan data) const
{
    NcclPayload payload;
    if (data.size() < HeaderSize)
        return payload;
    const auto schema
        = m_schemas.find({ littleEndian(data.subspan(0, 8)), littleEndian(data.subspan(8, 8)) });
    if (schema == m_schemas.end())
        return payload;
    const std::uint64_t stated = littleEndian(data.subspan(16, 8));
    const ByteSpan body = data.subspan(HeaderSize);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(stated, body.size()));
    for (const auto &[index, field] : schema->second) {
        if (field.size == 0 || field.offset > size || size - field.offset < field.size)
            continue;
        const std::uint64_t value = littleEndian(body.subspan(field.offset, field.size));
        assign(payload, field.name, value,
               field.isSigned ? withSign(value, field.size) : static_cast<std::int64_t>(value));
    }
    return payload;
}

NcclPayload NvtxPayloads::decodeJson(std::string_view json)
{
    NcclPayload payload;
    const auto object = nlohmann::json::parse(json, nullptr, false);
    if (!object.is_object())
        return payload;
    for (const auto &[key, value] : object.items()) {
        if (value.is_number_integer())
            assign(payload, key, value.get<std::uint64_t>(), value.get<std::int64_t>());
    }
    return payload;
}

} // namespace core
