#pragma once

#include "core/analyze/kept_findings.h"

#include <QByteArray>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace ui {

/// Findings of an earlier run of this program in a project, to be shown before it is found again.
struct RecalledFindings
{
    std::shared_ptr<const core::Diagnosis>
        diagnosis; ///< see core::KeptFindings; null: none is kept
    std::shared_ptr<const core::GainIntervals> gains;
};

/// Ties what is kept to this user and this very program file: what another one kept, or a
/// stranger's project brings, is not shown.
struct FindingsSeal
{
    QByteArray secret; ///< of the user's settings
    QByteArray program; ///< file, size and time of the running program
};

/// GUI thread; makes the secret at first use.
FindingsSeal findingsSeal();

/// Worker thread. None of a project that has changed since, of another seal, or that is damaged.
RecalledFindings recallFindings(const std::filesystem::path &project, const FindingsSeal &seal);
/// Worker thread. `stamp`: core::contentStamp() of what was analysed. Throws core::Error where the
/// project cannot be written.
void keepFindings(const std::filesystem::path &project, const FindingsSeal &seal,
                  std::uint64_t stamp, const core::KeptFindings &findings);

} // namespace ui
