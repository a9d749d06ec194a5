#include "core/project/write/args_collector.h"

#include "core/base/async_work.h"
#include "core/project/project_limits.h"
#include "core/project/read/args_filter.h"

#include <cassert>
#include <limits>
#include <memory>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t BlockBytes = 256 * 1024;
    // A block that is not full yet and one more text; each length stands before the texts.
    static_assert(BlockBytes * (1 + sizeof(std::uint32_t)) + MaxArgsBytes + sizeof(std::uint32_t)
                  <= MaxArgsBlockBytes);
    static_assert(MaxArgsBytes <= std::numeric_limits<std::uint32_t>::max());

    CompressedArgs compressBlock(Compressor &compressor, const std::vector<std::uint32_t> &lengths,
                                 const ByteBuffer &texts)
    {
        const auto *begin = reinterpret_cast<const std::uint8_t *>(lengths.data());
        ByteBuffer raw(begin, begin + lengths.size() * sizeof(std::uint32_t));
        raw.insert(raw.end(), texts.begin(), texts.end());
        const ByteSpan compressed = compressor.compress(raw);
        return { lengths.size(), raw.size(), ByteBuffer(compressed.begin(), compressed.end()),
                 makeArgsFilter(texts) };
    }

} // namespace

std::uint64_t ArgsCollector::add(std::string_view text)
{
    assert(text.size() <= MaxArgsBytes);
    const auto *data = reinterpret_cast<const std::uint8_t *>(text.data());
    m_texts.insert(m_texts.end(), data, data + text.size());
    m_lengths.push_back(static_cast<std::uint32_t>(text.size()));
    if (m_texts.size() >= BlockBytes)
        flush();
    return m_nextOrdinal++;
}

void ArgsCollector::flush()
{
    collectPending();
    if (m_lengths.empty())
        return;
    struct Texts
    {
        std::vector<std::uint32_t> lengths;
        ByteBuffer texts;
    };
    const auto block = std::make_shared<Texts>(
        Texts { std::exchange(m_lengths, {}), std::exchange(m_texts, {}) });
    m_pending = beginAsync([&compressor = m_compressor, block] {
        return compressBlock(compressor, block->lengths, block->texts);
    });
}

void ArgsCollector::collectPending()
{
    if (!m_pending.valid())
        return;
    m_blocks.push_back({ m_pending.get(), {} });
    m_heldBytes += m_blocks.back().args.data.size();
}

void ArgsCollector::spill(SpillFile &file)
{
    for (; m_firstHeld < m_blocks.size(); ++m_firstHeld) {
        Block &block = m_blocks[m_firstHeld];
        block.spilled = file.append(block.args.data);
        block.args.data = ByteBuffer(); // `= {}` would keep its memory
    }
    m_heldBytes = 0;
}

void ArgsCollector::takeBlocks(SpillFile *file,
                               const std::function<void(const CompressedArgs &)> &take)
{
    flush();
    collectPending();
    for (Block &block : std::exchange(m_blocks, {})) {
        if (block.spilled)
            file->read(*block.spilled, block.args.data);
        take(block.args);
    }
}

} // namespace core
