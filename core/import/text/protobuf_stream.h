#pragma once

#include "core/base/job_control.h"
#include "core/import/entry_reader.h"
#include "core/import/text/protobuf_scan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace core {

/// Walks over the fields of a protobuf message of any size while it is read, without a schema:
/// nested messages are entered and left, so that only one field has to fit into memory. What the
/// walk does not look at is skipped.
///
/// Damage ends the innermost open message only; after leave() the walk goes on behind it, as the
/// lengths of the messages around it still hold.
class ProtobufStream
{
public:
    using WireType = ProtobufFields::WireType;

    /// A field that bytes() gives must not be larger: 16 MiB.
    static constexpr std::uint64_t MaximumField = 16ULL * 1024 * 1024;

    /// The references must outlive the stream. What cannot be read to its end is counted in
    /// `diagnostics` (EntryReader); what else is wrong the stream only tells.
    ProtobufStream(BundleEntry &entry, Diagnostics &diagnostics, const JobControl &control);

    /// Moves to the next field of the innermost open message; false at its end and where it is
    /// malformed. Throws Cancelled.
    bool next();
    std::uint32_t number() const { return m_number; }
    WireType type() const { return m_type; }
    bool isBytes() const { return m_type == WireType::Bytes; }
    /// The value of a number; the size of a Bytes field.
    std::uint64_t natural() const { return m_value; }
    std::int64_t integer() const { return static_cast<std::int64_t>(m_value); }
    /// Where the field begins in the file.
    std::uint64_t fieldOffset() const { return m_fieldOffset; }

    /// Of a Bytes field of at most MaximumField; a view that is valid until the next call. Absent
    /// where the field is larger or the file ends inside it.
    std::optional<std::string_view> bytes();
    /// Goes on inside the current Bytes field. Every enter() needs its leave().
    void enter();
    /// Goes on behind the innermost open message, wherever in it the walk was.
    void leave();

    /// Where a message was malformed first, of all that was walked over.
    std::optional<std::uint64_t> firstDamage() const { return m_firstDamage; }
    std::uint64_t damageCount() const { return m_damageCount; }
    /// The file ended inside a field.
    bool isTruncated() const { return m_isTruncated; }
    /// Where what was read of the file ends; of one that isTruncated(), the file.
    std::uint64_t readTo() const { return m_blockOffset + m_size; }

private:
    std::uint64_t position() const { return m_blockOffset + m_at; }
    std::uint64_t end() const { return m_ends.back(); }
    std::size_t available(std::size_t wanted);
    std::optional<std::uint64_t> takeVarint();
    bool takeValue();
    void skipTo(std::uint64_t target);
    bool fail();

    EntryReader m_reader;
    const JobControl &m_control;
    std::vector<char> m_block;
    std::size_t m_at = 0, m_size = 0; ///< of m_block
    std::uint64_t m_blockOffset = 0; ///< of m_block[0] in the file
    std::vector<std::uint64_t> m_ends; ///< of the open messages, in the file
    std::uint64_t m_valueEnd = 0; ///< where the next field begins
    std::uint64_t m_fieldOffset = 0;
    std::uint64_t m_value = 0;
    std::uint32_t m_number = 0;
    WireType m_type = WireType::Varint;
    std::optional<std::uint64_t> m_firstDamage;
    std::uint64_t m_damageCount = 0;
    bool m_isTruncated = false;
};

} // namespace core
