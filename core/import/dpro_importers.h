#pragma once

#include "core/import/importer.h"

namespace core {

/// The files of a dPRO trace folder that hold events with dPRO's names. Each kind is a format of
/// its own, so that a rank's files become one worker; see core/import/README.md.

/// comm_detail.json: sends and receives of NCCL's network proxies.
class DproCommDetailImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-comm-detail"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// io.json: the input pipeline.
class DproInputImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-io"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// bps_trace_final.json: the traces of all ranks in one file, made from the others. It is read only
/// where these are not in the bundle.
class DproMergedImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-merged"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// dag.gml: what each op of a rank waits for, by name.
class DproGraphImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-dag"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
