#pragma once

#include "core/analyze/diagnosis.h"
#include "core/project/read/project_reader.h"
#include "ui/timeline_sources/clock_map.h"
#include "ui/views/timeline/graph_links.h"

#include <QString>

#include <optional>
#include <utility>
#include <vector>

namespace ui {

/// Another slice to go to from the details of one.
struct SliceLink
{
    core::SliceId slice;
    QString name;
    QString note; ///< where it is, and how they are tied
};

/// One rank's part in the same collective.
struct CollectivePart
{
    core::SliceId slice;
    int rank = 0;
    std::int64_t waitNs = 0;
    std::int64_t transferNs = 0;
    bool isSelf = false;
    bool isLast = false; ///< came last: the others waited for it
};

/// What the details panel shows of one slice; text is ready for people, times are not.
struct SliceDetails
{
    QString name;
    core::Role role = core::Role::Host;
    std::vector<std::pair<QString, QString>> facts; ///< label, value
    std::vector<std::pair<QString, QString>> args;
    QString waitSentence; ///< of a collective: for whom and how long it waited; else empty
    std::vector<CollectivePart> parts;
    std::vector<SliceLink> predecessors, successors;
    QString graphNote; ///< why there are no predecessors and successors; empty otherwise
};

/// `links` and `diagnosis` may be null while they are being computed. Empty if the project has no
/// such slice. `originNs` is the aligned time that starts count from. Throws core::Error.
std::optional<SliceDetails> describeSlice(core::SliceId slice, const core::ProjectReader &reader,
                                          const GraphLinks *links, const core::Diagnosis *diagnosis,
                                          std::int64_t originNs);

} // namespace ui
