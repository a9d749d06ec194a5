#pragma once

#include "core/import/importer.h"

namespace core {

/// The files of a dPRO trace of BytePS that lie beside the ranks' folders. Servers get the ranks
/// after those of the GPUs; a worker (a machine) is its root GPU, the one of the largest local
/// rank.

/// comm_timeline.json: pushes and pulls between workers and servers.
class DproServerCommImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-ps-comm"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

/// server_timeline.json: what the servers' threads sum and copy.
class DproServerImporter : public Importer
{
public:
    std::string_view name() const override { return "dpro-ps-server"; }
    bool recognizes(std::string_view entryName, std::string_view head) const override;
    void read(BundleEntry &entry, TraceSink &sink, const JobControl &control) const override;
};

} // namespace core
