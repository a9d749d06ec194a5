#pragma once

#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace core {

enum class DeviceWorkKind : std::uint8_t { Compute, Communication, Copy };

std::string_view deviceWorkName(DeviceWorkKind kind); ///< "compute", "comm", "copy"

/// Which slices are a device's work: of accelerators what is on their streams or, for a worker
/// without any, its CPU's: there compute is the framework's ops on host threads (not annotations,
/// which also cover waiting) and communication what its backend's threads record. Rows that a
/// communication hook writes by hand do not count beside the backend's own records. Of a parameter
/// server, which sends and receives and runs no operation of a framework, annotations that name a
/// tensor beside its transfers ("UPDATE fc.weight") are its compute. Tools that time
/// kernels and communication apart (dPRO, BytePS) have no communication kernel: there the
/// communication rows are what a device's worker communicates. Refers to the trace.
class DeviceWork
{
public:
    explicit DeviceWork(const Trace &trace);

    struct Place
    {
        std::optional<int> device; ///< empty: the CPU
    };
    /// Whose work the track's is; empty: of no device.
    const std::optional<Place> &placeOf(std::size_t track) const { return m_rows[track].place; }
    /// Empty: not a device's work.
    std::optional<DeviceWorkKind> kindOf(std::size_t track, std::size_t row) const;

private:
    enum class Source : std::uint8_t { Cpu, Backend, Server, Stream, Communication };
    struct Row
    {
        std::optional<Place> place;
        Source source = Source::Cpu; ///< Backend: Cpu, with its records only; Server: with updates
    };

    const Trace &m_trace;
    std::vector<Row> m_rows; ///< by track
    std::unordered_set<NameId> m_updates; ///< of tensors, as servers name them
};

} // namespace core
