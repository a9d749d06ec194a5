#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace core {

/// Writes a text file, compressed if its name ends in .gz, under a temporary name beside it;
/// commit() moves it in place, without commit() nothing is left behind. Throws Error naming the
/// file.
class GzipWriter
{
public:
    explicit GzipWriter(std::filesystem::path file);
    ~GzipWriter();
    GzipWriter(const GzipWriter &) = delete;
    GzipWriter &operator=(const GzipWriter &) = delete;

    void write(std::string_view text);
    void commit();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace core
