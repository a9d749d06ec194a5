#pragma once

#include "core/import/nsight/nsight_database.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// What NCCL's NVTX payload says about a call.
struct NcclPayload
{
    std::optional<std::uint64_t> communicator;
    std::optional<std::uint64_t> bytes; ///< of this rank's message
    std::optional<std::int64_t> rank, rankCount, peer, root;

    bool isEmpty() const
    {
        return !communicator && !bytes && !rank && !rankCount && !peer && !root;
    }
};

/// Decodes NVTX's structured payloads by the schemas that the program registered (tables
/// NVTX_PAYLOAD_SCHEMA_ENTRIES). Field names are NCCL's (src/include/nvtx_payload_schemas.h), type
/// numbers are those of NVTX_PAYLOAD_ENTRY_TYPE_* in nvToolsExtPayload.h.
class NvtxPayloads
{
public:
    explicit NvtxPayloads(NsightDatabase &db);

    bool isEmpty() const { return m_schemas.empty(); }
    /// `data` is a value of NVTX_EVENTS.binaryData: domain, schema, size and a word that is not
    /// used here (little-endian u64 each), then the payload. Empty for what no schema fits.
    NcclPayload decode(ByteSpan data) const;
    /// The same where the exporter wrote the payload as JSON text.
    static NcclPayload decodeJson(std::string_view json);

private:
    struct Field
    {
        std::string name;
        std::size_t offset = 0;
        std::size_t size = 0;
        bool isSigned = false;
    };
    using Key = std::pair<std::uint64_t, std::uint64_t>; ///< domain, schema
    using Schema = std::map<std::uint64_t, Field>; ///< by the field's index

    void addField(const NsightRow &row);
    static void placeFields(Schema &schema);

    std::map<Key, Schema> m_schemas;
    std::size_t m_fieldCount = 0;
};

} // namespace core
