#pragma once

#include "core/base/error.h"
#include "core/sqlite/database.h"

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

// Values to the bytes of a BLOB and back; numbers are little-endian. Taking checks every bound and
// throws Error: a BLOB may come from a stranger.

namespace core {

static_assert(std::endian::native == std::endian::little, "BLOBs are little-endian");

[[noreturn]] inline void failDamagedBlob(const char *what)
{
    throw Error("the project file is damaged (" + std::string(what) + "); import the bundle again");
}

template <class T>
void appendValues(ByteBuffer &out, std::span<const T> values)
{
    const auto *data = reinterpret_cast<const std::uint8_t *>(values.data());
    out.insert(out.end(), data, data + values.size_bytes());
}

/// The next `bytes` bytes; advances `in`.
inline ByteSpan takeBytes(ByteSpan &in, std::size_t bytes)
{
    if (bytes > in.size())
        failDamagedBlob("a BLOB is too short");
    const ByteSpan taken = in.first(bytes);
    in = in.subspan(bytes);
    return taken;
}

template <class T>
T takeValue(ByteSpan &in)
{
    T value;
    std::memcpy(&value, takeBytes(in, sizeof(T)).data(), sizeof(T));
    return value;
}

/// Appends a copy of the next `rows` values of type T to `column`.
template <class T>
void takeValues(ByteSpan &in, std::size_t rows, std::vector<T> &column)
{
    const ByteSpan bytes = takeBytes(in, rows * sizeof(T));
    const std::size_t before = column.size();
    column.resize(before + rows);
    if (rows > 0)
        std::memcpy(column.data() + before, bytes.data(), bytes.size());
}

} // namespace core
