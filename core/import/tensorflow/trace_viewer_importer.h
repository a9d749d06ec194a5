#pragma once

#include "core/import/importer.h"

namespace core {

/// Traces of XProf's and TensorBoard's trace viewer (<host>.trace.json.gz): the planes and lines of
/// a profile as processes and threads. The profile itself (<host>.xplane.pb) holds more and is
/// preferred where a bundle has both.
class TraceViewerImporter : public Importer
{
public:
    /// The trace viewer's writer drops what comes after so many events.
    static constexpr std::uint64_t EventLimit = 1'000'000;

    std::string_view name() const override { return "trace-viewer"; }
    bool isNumberedByOrder() const override { return true; }
    std::optional<std::string> reasonToLeaveOut(const BundleEntry &entry) const override;
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
