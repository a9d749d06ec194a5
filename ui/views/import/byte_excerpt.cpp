#include "ui/views/import/byte_excerpt.h"

#include "core/base/error.h"
#include "core/bundle/bundle.h"

#include <QCoreApplication>

#include <algorithm>
#include <fstream>
#include <functional>
#include <system_error>
#include <vector>

namespace ui {

namespace {

    constexpr std::uint64_t bytesBefore = 256;
    constexpr std::size_t excerptSize = 640;
    constexpr std::uint64_t mostUnpacked = std::uint64_t { 256 } * 1024 * 1024;
    constexpr std::size_t hexLineBytes = 8;
    constexpr int hexOffsetDigits = 8;
    constexpr double mostUnprintable = 0.1; ///< of a text's bytes

    std::string nameIn(const FilePlace &place)
    {
        return place.member.empty() ? place.file.string()
                                    : place.file.string() + "/" + place.member;
    }

    std::unique_ptr<core::BundleEntry> openEntry(const FilePlace &place)
    {
        const auto bundle = core::openBundle({ place.file });
        const auto &items = bundle->items();
        const std::string name = nameIn(place);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items[i].name == name)
                return bundle->open(i);
        }
        throw core::Error("is not in the archive any more. Import it again.",
                          { name, std::nullopt });
    }

    std::string readPlain(const std::filesystem::path &path, std::uint64_t start)
    {
        std::ifstream file(path, std::ios::binary);
        file.seekg(static_cast<std::streamoff>(start));
        std::string bytes(excerptSize, '\0');
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
        return bytes;
    }

    void skip(core::BundleEntry &entry, std::uint64_t count, const core::JobControl &control)
    {
        std::vector<char> block(std::size_t { 1024 } * 1024);
        while (count > 0) {
            core::throwIfCancelled(control);
            const auto wanted
                = static_cast<std::size_t>(std::min<std::uint64_t>(count, block.size()));
            const std::size_t got = entry.read(std::span(block).first(wanted));
            if (got == 0)
                return;
            count -= got;
        }
    }

    std::string readUnpacked(core::BundleEntry &entry)
    {
        std::string bytes(excerptSize, '\0');
        std::size_t size = 0;
        try {
            while (size < bytes.size()) {
                const std::size_t got = entry.read({ bytes.data() + size, bytes.size() - size });
                if (got == 0)
                    break;
                size += got;
            }
        } catch (const core::Error &) {
            // The damage that the excerpt is about; what comes before it is what can be shown.
            if (size == 0)
                throw;
        }
        bytes.resize(size);
        return bytes;
    }

    bool isPrintable(char c)
    {
        const auto byte = static_cast<unsigned char>(c);
        return (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t' || c == '\r';
    }

    bool isContinuation(char c)
    {
        return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
    }

    QString printable(std::string_view bytes)
    {
        QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
        for (QChar &c : text) {
            const bool isShown = c == QLatin1Char('\n') || c == QLatin1Char('\t');
            if (c == QChar::ReplacementCharacter || (!c.isPrint() && !c.isSurrogate() && !isShown))
                c = QChar(0x00B7);
        }
        return text;
    }

    /// Bytes of the character at `place`.
    std::size_t characterSize(const std::string &bytes, std::size_t place)
    {
        std::size_t end = place + 1;
        while (end < bytes.size() && isContinuation(bytes[end]))
            ++end;
        return end - place;
    }

    ShownExcerpt showText(const ByteExcerpt &excerpt, std::size_t place)
    {
        const std::string_view bytes = excerpt.bytes;
        std::size_t begin = 0; // the first bytes may be the rest of a character
        while (begin < place && isContinuation(bytes[begin]))
            ++begin;
        ShownExcerpt shown;
        shown.text = printable(bytes.substr(begin, place - begin));
        shown.markStart = static_cast<int>(shown.text.size());
        if (place == bytes.size()) {
            shown.text += QCoreApplication::translate("ByteExcerpt", "[end of the file]");
            shown.markLength = static_cast<int>(shown.text.size()) - shown.markStart;
            return shown;
        }
        const std::size_t marked = characterSize(excerpt.bytes, place);
        const QString mark = printable(bytes.substr(place, marked));
        shown.text += mark + printable(bytes.substr(place + marked));
        shown.markLength = static_cast<int>(mark.size());
        return shown;
    }

    QString hexLine(std::uint64_t offset, std::string_view bytes)
    {
        QString line = QStringLiteral("%1  ").arg(offset, hexOffsetDigits, 16, QLatin1Char('0'));
        QString text;
        for (std::size_t i = 0; i < hexLineBytes; ++i) {
            if (i >= bytes.size()) {
                line += QStringLiteral("   ");
                continue;
            }
            const auto byte = static_cast<unsigned char>(bytes[i]);
            line += QStringLiteral("%1 ").arg(byte, 2, 16, QLatin1Char('0'));
            text += byte >= 0x20 && byte < 0x7f ? QLatin1Char(bytes[i]) : QChar(0x00B7);
        }
        return line + QLatin1Char(' ') + text;
    }

    ShownExcerpt showHex(const ByteExcerpt &excerpt, std::size_t place)
    {
        ShownExcerpt shown;
        shown.isHexadecimal = true;
        const std::string_view bytes = excerpt.bytes;
        for (std::size_t at = 0; at < bytes.size(); at += hexLineBytes) {
            const QString line = hexLine(excerpt.start + at, bytes.substr(at, hexLineBytes));
            if (place >= at && place < std::min(at + hexLineBytes, bytes.size())) {
                const auto column = static_cast<int>(line.indexOf(QLatin1Char(' '))) + 2;
                shown.markStart = static_cast<int>(shown.text.size()) + column
                    + 3 * static_cast<int>(place - at);
                shown.markLength = 2;
            }
            shown.text += line + QLatin1Char('\n');
        }
        shown.text.chop(1);
        return shown;
    }

} // namespace

ByteExcerpt readExcerpt(const FilePlace &place, std::uint64_t offset,
                        const core::JobControl &control)
{
    ByteExcerpt excerpt;
    excerpt.offset = offset;
    excerpt.start = offset > bytesBefore ? offset - bytesBefore : 0;
    excerpt.start -= excerpt.start % hexLineBytes;
    // So are pseudo-files of the system, which a project of a stranger may name: reading one may
    // never end.
    std::error_code error; // openBundle() tells of a file that is gone
    if (std::filesystem::file_size(place.file, error) == 0)
        throw core::Error("is empty now. Copy the file again from where it was recorded.",
                          { place.file.string(), std::nullopt });
    const auto entry = openEntry(place);
    if (const auto plain = entry->plainFile(); !plain.empty()) {
        excerpt.bytes = readPlain(plain, excerpt.start);
        return excerpt;
    }
    if (excerpt.start > mostUnpacked)
        throw core::Error("is compressed, and the place is too far from its beginning to unpack "
                          "all before it here. Unpack the file to look at it.",
                          { nameIn(place), offset });
    skip(*entry, excerpt.start, control);
    excerpt.bytes = readUnpacked(*entry);
    return excerpt;
}

ShownExcerpt showExcerpt(const ByteExcerpt &excerpt)
{
    const std::size_t place = static_cast<std::size_t>(
        std::min<std::uint64_t>(excerpt.offset - excerpt.start, excerpt.bytes.size()));
    const auto unprintable
        = std::count_if(excerpt.bytes.begin(), excerpt.bytes.end(), std::not_fn(isPrintable));
    const bool isText = static_cast<double>(unprintable)
        <= mostUnprintable * static_cast<double>(excerpt.bytes.size());
    return isText ? showText(excerpt, place) : showHex(excerpt, place);
}

} // namespace ui
