#include "core/bundle/fingerprint.h"

#include "core/bundle/file_source.h"

#include <QtCore/QCryptographicHash>

#include <algorithm>
#include <vector>

namespace core {

namespace {

    constexpr std::uint64_t PieceSize = std::uint64_t { 64 } * 1024;

    void addPiece(FileSource &file, std::uint64_t begin, std::vector<char> &buffer,
                  QCryptographicHash &hash)
    {
        file.seekTo(begin);
        const std::size_t count = file.read(buffer);
        hash.addData(QByteArrayView(buffer.data(), static_cast<qsizetype>(count)));
    }

} // namespace

std::string fingerprintOf(const std::filesystem::path &path, std::uint64_t offset,
                          std::uint64_t sizeBytes)
{
    FileSource file(path);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArray::number(qulonglong { sizeBytes }));
    std::vector<char> buffer(std::min(sizeBytes, PieceSize));
    const std::uint64_t last = sizeBytes - buffer.size();
    for (const std::uint64_t begin : { std::uint64_t { 0 }, last / 2, last })
        addPiece(file, offset + begin, buffer, hash);
    return "sha256-pieces:" + hash.result().toHex().toStdString();
}

std::string fingerprintOf(std::uint32_t crc)
{
    return "crc32:" + QByteArray::number(crc, 16).toStdString();
}

} // namespace core
