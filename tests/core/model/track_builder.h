#pragma once

#include "core/model/finish_track.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tests {

using core::Category;
using core::DepthAssigner;
using core::DepthReport;
using core::isBefore;
using core::NameId;
using core::Phase;
using core::SliceColumns;

/// Builds tracks row by row; times are microseconds.
class TrackBuilder
{
public:
    TrackBuilder &slice(std::string_view name, double startUs, double durationUs,
                        Category category = Category::CpuOp, std::uint64_t correlation = 0,
                        std::uint64_t externalId = 0)
    {
        columns.startNs.push_back(static_cast<std::int64_t>(startUs * 1000));
        columns.durationNs.push_back(static_cast<std::int64_t>(durationUs * 1000));
        columns.name.push_back(intern(name));
        columns.category.push_back(category);
        columns.phase.push_back(Phase::None);
        columns.depth.push_back(0);
        columns.correlation.push_back(correlation);
        columns.externalId.push_back(externalId);
        columns.sequence.push_back(columns.size());
        columns.forwardThread.push_back(0);
        columns.bytes.push_back(0);
        return *this;
    }
    /// Sorted and nested; what the depths say goes to `report`.
    SliceColumns finished(DepthReport *report = nullptr)
    {
        DepthAssigner depths;
        SliceColumns sorted;
        for (const Row &row : sortedRows()) {
            const std::int64_t endNs = columns.startNs[row.index] + columns.durationNs[row.index];
            sorted.startNs.push_back(columns.startNs[row.index]);
            sorted.durationNs.push_back(columns.durationNs[row.index]);
            sorted.name.push_back(columns.name[row.index]);
            sorted.category.push_back(columns.category[row.index]);
            sorted.correlation.push_back(columns.correlation[row.index]);
            sorted.externalId.push_back(columns.externalId[row.index]);
            sorted.depth.push_back(depths.place(columns.startNs[row.index], endNs));
        }
        sorted.phase.resize(sorted.size());
        if (report)
            *report = depths.report();
        return sorted;
    }
    static std::string_view nameOf(NameId id) { return names()[id.value]; }

    SliceColumns columns;

private:
    struct Row
    {
        std::int64_t startNs, durationNs;
        std::size_t index;
    };
    std::vector<Row> sortedRows() const
    {
        std::vector<Row> rows;
        for (std::size_t i = 0; i < columns.size(); ++i)
            rows.push_back({ columns.startNs[i], columns.durationNs[i], i });
        std::stable_sort(rows.begin(), rows.end(), &isBefore<Row, Row>);
        return rows;
    }
    static std::vector<std::string> &names()
    {
        static std::vector<std::string> all { "" };
        return all;
    }
    static NameId intern(std::string_view name)
    {
        auto &all = names();
        const auto it = std::find(all.begin(), all.end(), name);
        const NameId id(static_cast<std::uint32_t>(it - all.begin()));
        if (it == all.end())
            all.emplace_back(name);
        return id;
    }
};

} // namespace tests
