#include "core/bundle/gzip_writer.h"

#include "core/base/error.h"

#include <zlib.h>

#include <cstring>

namespace core {

struct GzipWriter::Private
{
    std::filesystem::path file, temporary;
    gzFile stream = nullptr;

    [[noreturn]] void fail(const char *what) const
    {
        throw Error(std::string(what) + ": " + std::strerror(errno)
                        + ". Check that the folder exists and has room.",
                    { file.string(), {} });
    }
};

GzipWriter::GzipWriter(std::filesystem::path file)
    : d(std::make_unique<Private>())
{
    d->file = std::move(file);
    d->temporary = d->file.string() + ".part";
    // "T": written through without compression.
    d->stream = gzopen(d->temporary.c_str(), d->file.extension() == ".gz" ? "wb6" : "wbT");
    if (!d->stream)
        d->fail("cannot write");
    gzbuffer(d->stream, 256 * 1024);
}

GzipWriter::~GzipWriter()
{
    if (d->stream)
        gzclose(d->stream);
    std::error_code ignored;
    std::filesystem::remove(d->temporary, ignored); // gone already where commit() moved it
}

void GzipWriter::write(std::string_view text)
{
    if (gzwrite(d->stream, text.data(), static_cast<unsigned>(text.size()))
        != static_cast<int>(text.size()))
        d->fail("cannot write");
}

void GzipWriter::commit()
{
    const bool isWritten = gzclose(d->stream) == Z_OK;
    d->stream = nullptr;
    if (!isWritten)
        d->fail("cannot finish writing");
    std::error_code error;
    std::filesystem::rename(d->temporary, d->file, error);
    if (error)
        throw Error("cannot put the file in place: " + error.message(), { d->file.string(), {} });
}

} // namespace core
