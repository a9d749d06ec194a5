#include "core/project/read/shape_reader.h"

#include "core/project/read/input_dims.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    class ShapeReader
    {
    public:
        ShapeReader(SliceStore &store, const Trace &trace)
            : m_store(store)
            , m_trace(trace)
        {
            m_shapes.distinct.emplace_back();
            m_shapes.ofRow.resize(trace.tracks.size());
        }

        OpShapes run(const JobControl &control)
        {
            for (const Track &track : m_trace.tracks) {
                control.report(double(track.id.value) / double(m_trace.tracks.size()),
                               "read shapes");
                if (track.kind != TrackKind::HostThread)
                    continue;
                for (const ChunkInfo &chunk : m_store.chunksOf(track.id)) {
                    throwIfCancelled(control);
                    readChunk(track, chunk);
                }
            }
            return std::move(m_shapes);
        }

    private:
        /// An import counts a framework op's bytes only where it has shapes.
        static bool mayHaveShapes(const SliceColumns &slices, std::size_t row)
        {
            return slices.bytes[row] > 0 && slices.category[row] == Category::CpuOp;
        }

        void readChunk(const Track &track, const ChunkInfo &chunk)
        {
            const SliceColumns &slices = m_trace.slices[track.id.value];
            const std::size_t from = chunk.firstSlice - track.firstSlice.value;
            m_wanted.clear();
            for (std::size_t row = from; row < from + chunk.rows; ++row)
                if (mayHaveShapes(slices, row))
                    m_wanted.emplace_back(0, row);
            if (m_wanted.empty())
                return;
            const auto ordinals = m_store.argsOrdinals(chunk);
            for (auto &[ordinal, row] : m_wanted)
                ordinal = (*ordinals)[row - from];
            std::sort(m_wanted.begin(), m_wanted.end()); // a block after the other
            std::shared_ptr<const ArgsBlock> block;
            for (const auto &[ordinal, row] : m_wanted) {
                if (ordinal == 0)
                    continue;
                if (!block || !block->holds(ordinal - 1))
                    block = m_store.argsBlock(ordinal - 1);
                setRow(track.id, row, block->text(ordinal - 1));
            }
        }

        void setRow(TrackId track, std::size_t row, std::string_view args)
        {
            const std::uint32_t index = indexOf(inputDimsText(args));
            if (index == 0)
                return;
            std::vector<std::uint32_t> &rows = m_shapes.ofRow[track.value];
            if (rows.empty())
                rows.resize(m_trace.slices[track.value].size(), 0);
            rows[row] = index;
        }

        std::uint32_t indexOf(std::string_view text)
        {
            if (text.empty())
                return 0;
            m_key.assign(text);
            const auto [known, isNew] = m_indexes.try_emplace(m_key, 0U);
            if (!isNew)
                return known->second;
            if (auto shapes = parseInputDims(text)) {
                known->second = static_cast<std::uint32_t>(m_shapes.distinct.size());
                m_shapes.distinct.push_back(std::move(*shapes));
            }
            return known->second;
        }

        SliceStore &m_store;
        const Trace &m_trace;
        OpShapes m_shapes;
        std::unordered_map<std::string, std::uint32_t> m_indexes; ///< by the text of the shapes
        std::string m_key;
        std::vector<std::pair<std::uint64_t, std::size_t>> m_wanted; ///< args ordinal + 1, row
    };

} // namespace

OpShapes readOpShapes(SliceStore &store, const Trace &trace, const JobControl &control)
{
    return ShapeReader(store, trace).run(control);
}

} // namespace core
