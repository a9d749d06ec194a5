#pragma once

#include "core/import/importer.h"

namespace core {

/// Profiles of MXNet (profile.json): ops of the engine on CPUs and GPUs, API calls.
class MxnetImporter : public Importer
{
public:
    std::string_view name() const override { return "mxnet"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// trace.json.gz of a GPU's folder in a dPRO trace: TensorFlow's or MXNet's profile, or what dPRO's
/// recorder made of it.
class DproComputeImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-compute"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
