#include "ui/timeline_sources/measured_counters.h"

#include "core/fit/links/link_models.h"
#include "core/fit/links/link_use.h"
#include "core/predict/memory_curve.h"
#include "core/project/read/project_reader.h"

#include <QCoreApplication>

#include <optional>
#include <utility>
#include <vector>

namespace ui {
namespace {

    /// "rank 0 · GPU 0", "rank 0 · host".
    QString nameOf(const core::Worker &worker, const std::optional<int> &device,
                   const OrderedTracks &order)
    {
        const QString place = device
            ? QStringLiteral("%1 %2").arg(order.accelerators[worker.id.value]).arg(*device)
            : QCoreApplication::translate("Timeline", "host");
        return QCoreApplication::translate("Timeline", "rank %1 \u00b7 %2")
            .arg(worker.rank)
            .arg(place);
    }

    /// Thinned rank by rank: a curve has a point for each of millions of allocations.
    void appendMemory(Counters &counters, const core::Trace &trace, const OrderedTracks &order,
                      const std::filesystem::path &project, const core::JobControl &control)
    {
        const core::ProjectReader reader(project);
        for (const core::Worker &worker : trace.workers) {
            core::throwIfCancelled(control);
            std::vector<DeviceMemory> devices;
            for (core::MemoryCurve &curve :
                 core::memoryCurves(reader.memory(worker.id), trace, worker.id)) {
                const QString name = nameOf(worker, curve.device, order);
                devices.push_back({ name, std::move(curve) });
            }
            append(counters, memoryCounters(devices, control));
        }
    }

} // namespace

Counters measuredLinkCounters(const core::Graph &measured, const core::Trace &trace,
                              const core::JobControl &control)
{
    std::vector<core::LinkUse> uses = core::measuredLinkUse(measured, trace, control);
    core::addCapacities(uses, core::fitLinks(measured, trace, control));
    return linkCounters(uses, control);
}

std::shared_ptr<const Counters>
measuredCounters(const core::Graph &measured, const core::Trace &trace, const OrderedTracks &order,
                 const std::filesystem::path &project, const core::JobControl &control)
{
    Counters counters = measuredLinkCounters(measured, trace, control);
    appendMemory(counters, trace, order, project, control);
    return std::make_shared<const Counters>(std::move(counters));
}

} // namespace ui
