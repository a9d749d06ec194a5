#pragma once

#include "core/base/job_control.h"
#include "ui/views/import/file_place.h"

#include <QString>

#include <cstdint>
#include <string>

namespace ui {

/// Some bytes of a file around a place of interest; offsets are those of the unpacked content.
struct ByteExcerpt
{
    std::uint64_t start = 0; ///< offset of bytes[0]
    std::uint64_t offset = 0; ///< of interest; >= start; bytes may end before it
    std::string bytes;
};

/// Reads what is around `offset`. A plain file is read there only; of a compressed one all before
/// is unpacked, up to 256 MiB. Throws core::Error and core::Cancelled.
ByteExcerpt readExcerpt(const FilePlace &place, std::uint64_t offset,
                        const core::JobControl &control);

/// An excerpt for people, with the characters to be marked.
struct ShownExcerpt
{
    QString text;
    int markStart = 0;
    int markLength = 0; ///< 0: the place is outside
    bool isHexadecimal = false; ///< the lines are of one width and must not be wrapped
};

/// Text as it is (characters that cannot be shown as a middle dot), all else as hexadecimal lines.
ShownExcerpt showExcerpt(const ByteExcerpt &excerpt);

} // namespace ui
