#pragma once

#include "core/base/job_control.h"
#include "core/bundle/bundle.h"
#include "core/model/trace_sink.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Reads one trace format. Stateless: one object serves any number of files.
class Importer
{
public:
    /// How much of an entry's beginning recognizes() wants to see: some tools write the list of a
    /// machine's packages before anything of the trace.
    static constexpr std::size_t HeadSize = 64 * 1024;

    virtual ~Importer() = default;
    /// Stable id, stored in the project ("kineto").
    virtual std::string_view name() const = 0;
    /// Looks only at the entry name and its first HeadSize bytes (uncompressed).
    virtual bool recognizes(std::string_view entryName, std::string_view head) const = 0;
    /// Why an entry that is recognised cannot be read, where its first HeadSize bytes show it: with
    /// what to do. Absent where they show nothing.
    virtual std::optional<std::string> damageIn(std::string_view) const { return std::nullopt; }
    /// Why an entry that is recognised is left out all the same: the bundle has what it was made
    /// from. A sentence for people; absent where it is to be read.
    virtual std::optional<std::string> reasonToLeaveOut(const BundleEntry &) const
    {
        return std::nullopt;
    }
    /// Whether the files of one folder are the processes of one job, which the tool that wrote them
    /// numbers by nothing but the order of their names.
    virtual bool isNumberedByOrder() const { return false; }
    /// Streams one entry. Throws Error if the entry is unusable; counts bad records in
    /// sink.diagnostics().
    virtual void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const = 0;
};

/// All importers, in the order in which they are asked (importer_list.cpp).
const std::vector<std::unique_ptr<Importer>> &importers();

} // namespace core
