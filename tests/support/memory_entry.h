#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace tests {

/// A bundle entry whose contents are given as text. It hands out at most `blockSize` bytes a read,
/// and can end with an error as a cut archive does.
class MemoryEntry : public core::BundleEntry
{
public:
    explicit MemoryEntry(std::string text, std::size_t blockSize = 1 << 20,
                         std::string endsWith = {})
        : m_text(std::move(text))
        , m_blockSize(blockSize)
        , m_error(std::move(endsWith))
    {
    }

    const std::string &name() const override { return m_name; }
    std::size_t read(std::span<char> buffer) override
    {
        const std::size_t count
            = std::min({ buffer.size(), m_blockSize, m_text.size() - m_position });
        if (count == 0 && !buffer.empty() && !m_error.empty())
            throw core::Error(m_error, { m_name, m_position });
        std::memcpy(buffer.data(), m_text.data() + m_position, count);
        m_position += count;
        return count;
    }
    double progress() const override
    {
        return m_text.empty()
            ? 1.0
            : static_cast<double>(m_position) / static_cast<double>(m_text.size());
    }
    std::string tail(std::size_t sizeBytes) const override
    {
        return m_text.substr(m_text.size() - std::min(m_text.size(), sizeBytes));
    }
    std::unique_ptr<core::BundleEntry> openOther(std::string_view relativePath) const override
    {
        if (relativePath.empty())
            return std::make_unique<MemoryEntry>(m_text, m_blockSize, m_error);
        const auto found = m_others.find(std::string(relativePath));
        return found == m_others.end() ? nullptr
                                       : std::make_unique<MemoryEntry>(found->second, m_blockSize);
    }
    bool hasOther(std::string_view relativePath) const override
    {
        return relativePath.empty() || m_others.contains(std::string(relativePath));
    }
    std::filesystem::path plainFile() const override { return {}; }
    core::Diagnostics changesSinceListed() const override { return {}; }

    void setName(std::string name) { m_name = std::move(name); }
    /// What openOther() finds.
    void addOther(const std::string &relativePath, std::string text)
    {
        m_others[relativePath] = std::move(text);
    }

private:
    std::string m_name = "trace.json";
    std::string m_text;
    std::size_t m_blockSize;
    std::string m_error;
    std::size_t m_position = 0;
    std::map<std::string, std::string> m_others;
};

} // namespace tests
