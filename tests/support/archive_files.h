#pragma once

#include <QByteArray>
#include <QString>
#include <quazip/quazip.h>
#include <quazip/quazipfile.h>

#include <zlib.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace tests {

/// `text` as one gzip member.
inline QByteArray gzip(const QByteArray &text)
{
    z_stream z {};
    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    QByteArray out(static_cast<qsizetype>(deflateBound(&z, static_cast<uLong>(text.size())) + 64),
                   '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.truncate(static_cast<qsizetype>(z.total_out));
    deflateEnd(&z);
    return out;
}

/// A zip archive of these members, in this order; a password encrypts all of them.
inline void writeZip(const QString &path,
                     const std::vector<std::pair<QString, QByteArray>> &members,
                     const char *password = nullptr)
{
    QuaZip zip(path);
    if (!zip.open(QuaZip::mdCreate))
        throw std::runtime_error("the archive cannot be created");
    for (const auto &[name, content] : members) {
        QuaZipFile file(&zip);
        if (!file.open(
                QIODevice::WriteOnly, QuaZipNewInfo(name), password,
                static_cast<quint32>(crc32(0, reinterpret_cast<const Bytef *>(content.data()),
                                           static_cast<uInt>(content.size()))))
            || file.write(content) != content.size())
            throw std::runtime_error("the member cannot be written");
        file.close();
    }
    zip.close();
}

/// Makes the headers of an archive look as those of a writer that cannot go back: sizes and
/// checksum stand behind the data only.
inline void hideSizes(QByteArray &archive)
{
    const QByteArray magic("PK\x03\x04", 4);
    constexpr qsizetype FlagsAt = 6, SizesAt = 14, SizesSize = 12;
    for (qsizetype at = archive.indexOf(magic); at >= 0; at = archive.indexOf(magic, at + 4)) {
        archive[at + FlagsAt] = static_cast<char>(archive[at + FlagsAt] | 8);
        archive.replace(at + SizesAt, SizesSize, QByteArray(SizesSize, '\0'));
    }
}

/// Text without a pattern, so that it stays large when compressed.
inline QByteArray noise(int size)
{
    QByteArray text;
    std::uint32_t state = 1;
    for (int i = 0; i < size; ++i) {
        state = state * 1664525U + 1013904223U;
        text.append(static_cast<char>('a' + (state >> 24U) % 26));
    }
    return text;
}

/// Inflated data of any size whose deflate data is made in no time: one compressed block, over and
/// over.
struct RepeatedDeflate
{
    QByteArray block; ///< inflated; one repetition
    QByteArray deflated; ///< all repetitions as raw deflate data
    quint64 size = 0; ///< inflated
    quint32 crc = 0;
};

inline RepeatedDeflate repeatDeflate(const QByteArray &block, int times)
{
    RepeatedDeflate result;
    result.block = block;
    z_stream z {};
    deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    QByteArray one(static_cast<qsizetype>(deflateBound(&z, static_cast<uLong>(block.size())) + 64),
                   '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(block.data()));
    z.avail_in = static_cast<uInt>(block.size());
    z.next_out = reinterpret_cast<Bytef *>(one.data());
    z.avail_out = static_cast<uInt>(one.size());
    deflate(&z, Z_FULL_FLUSH); // ends on a byte and refers to nothing before it
    one.truncate(static_cast<qsizetype>(z.total_out));
    deflateEnd(&z);
    const uLong crc
        = crc32(0, reinterpret_cast<const Bytef *>(block.data()), static_cast<uInt>(block.size()));
    for (int i = 0; i < times; ++i) {
        result.deflated += one;
        result.crc
            = static_cast<quint32>(i == 0 ? crc : crc32_combine(result.crc, crc, block.size()));
    }
    result.deflated += QByteArray("\x03\x00", 2); // an empty last block
    result.size = static_cast<quint64>(block.size()) * static_cast<quint64>(times);
    return result;
}

/// The same as a gzip member; its length field holds the size modulo 2^32.
inline QByteArray asGzip(const RepeatedDeflate &data)
{
    QByteArray file("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    file += data.deflated;
    for (const quint32 field : { data.crc, static_cast<quint32>(data.size) }) {
        for (unsigned shift = 0; shift < 32; shift += 8)
            file += static_cast<char>(field >> shift);
    }
    return file;
}

} // namespace tests
