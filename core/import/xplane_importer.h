#pragma once

#include "core/import/importer.h"

namespace core {

/// Profiles of TensorFlow, JAX and PyTorch/XLA (*.xplane.pb, message XSpace): GPU, TPU and host.
/// Reads in two passes, as the names of events stand behind them; memory holds names and one event.
/// Source: xplane.proto of openxla/xla.
class XPlaneImporter : public Importer
{
public:
    std::string_view name() const override { return "xplane"; }
    bool isNumberedByOrder() const override { return true; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
