#include "core/project/spill_file.h"

#include <cerrno>
#include <random>
#include <system_error>

namespace core {

namespace {

    constexpr int NamesTried = 16;

    /// Creates a file that was not there before; null if that fails.
    std::FILE *createUnnamed(const std::filesystem::path &folder)
    {
        std::random_device random;
        for (int i = 0; i < NamesTried; ++i) {
            const auto path = folder / (".longpole-import-" + std::to_string(random()) + ".tmp");
            if (std::FILE *file = std::fopen(path.c_str(), "w+bx")) {
                std::error_code ignored;
                std::filesystem::remove(path, ignored);
                return file;
            }
            if (errno != EEXIST)
                return nullptr;
        }
        return nullptr;
    }

} // namespace

SpillFile::SpillFile(const std::filesystem::path &folder)
    : m_folder(folder)
    , m_file(createUnnamed(folder))
{
    if (!m_file)
        fail("cannot be created");
}

SpillExtent SpillFile::append(ByteSpan bytes)
{
    const SpillExtent extent { m_size, bytes.size() };
    seek(m_size);
    if (std::fwrite(bytes.data(), 1, bytes.size(), m_file.get()) != bytes.size())
        fail("cannot be written");
    m_size += bytes.size();
    return extent;
}

void SpillFile::read(const SpillExtent &extent, ByteBuffer &bytes)
{
    bytes.resize(extent.size);
    seek(extent.offset);
    if (std::fread(bytes.data(), 1, extent.size, m_file.get()) != extent.size)
        fail("cannot be read");
}

void SpillFile::seek(std::uint64_t offset)
{
    if (fseeko(m_file.get(), static_cast<off_t>(offset), SEEK_SET) != 0)
        fail("cannot be read");
}

void SpillFile::fail(const char *what) const
{
    throw Error("the temporary file that holds what exceeds --memory-limit " + std::string(what)
                    + ": " + std::generic_category().message(errno)
                    + ". Free space there, or give a larger --memory-limit.",
                { m_folder.string(), {} });
}

} // namespace core
