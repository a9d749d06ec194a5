#include "core/import/byteps/byteps_importer.h"
#include "core/import/byteps/bytescheduler_importer.h"
#include "core/import/dpro/dpro_importers.h"
#include "core/import/dpro/dpro_server_importers.h"
#include "core/import/execution_trace/chakra_importer.h"
#include "core/import/execution_trace/execution_trace_importer.h"
#include "core/import/horovod/horovod_importer.h"
#include "core/import/importer.h"
#include "core/import/kineto/kineto_importer.h"
#include "core/import/longpole/longpole_importer.h"
#include "core/import/mxnet/mxnet_importer.h"
#include "core/import/nccl/nccl_event_lines_importer.h"
#include "core/import/nccl/nccl_inspector_importer.h"
#include "core/import/nccl/nccl_profiler_importer.h"
#include "core/import/nsight/nsight_importer.h"
#include "core/import/tensorflow/tf_stepstats_importer.h"
#include "core/import/tensorflow/tf_timeline_importer.h"
#include "core/import/tensorflow/trace_viewer_importer.h"
#include "core/import/tensorflow/xplane_importer.h"

namespace core {

const std::vector<std::unique_ptr<Importer>> &importers()
{
    static const std::vector<std::unique_ptr<Importer>> list = [] {
        std::vector<std::unique_ptr<Importer>> all;
        all.push_back(std::make_unique<KinetoImporter>());
        all.push_back(std::make_unique<NcclEventLinesImporter>());
        all.push_back(std::make_unique<DproComputeImporter>());
        all.push_back(std::make_unique<DproCommDetailImporter>());
        all.push_back(std::make_unique<DproInputImporter>());
        all.push_back(std::make_unique<DproMergedImporter>());
        all.push_back(std::make_unique<DproGraphImporter>());
        all.push_back(std::make_unique<DproServerCommImporter>());
        all.push_back(std::make_unique<DproServerImporter>());
        all.push_back(std::make_unique<MxnetImporter>());
        all.push_back(std::make_unique<NcclInspectorImporter>());
        all.push_back(std::make_unique<NcclProfilerImporter>());
        for (const auto collector : RecordedImporter::Collectors)
            all.push_back(std::make_unique<RecordedImporter>(collector));
        all.push_back(std::make_unique<HorovodImporter>());
        all.push_back(std::make_unique<ExecutionTraceImporter>());
        all.push_back(std::make_unique<ChakraImporter>());
        all.push_back(std::make_unique<XPlaneImporter>());
        all.push_back(std::make_unique<TfStepStatsImporter>());
        all.push_back(std::make_unique<TfTimelineImporter>());
        all.push_back(std::make_unique<TraceViewerImporter>());
        all.push_back(std::make_unique<BytePsImporter>());
        all.push_back(std::make_unique<ByteSchedulerImporter>());
        all.push_back(std::make_unique<NsightImporter>());
        return all;
    }();
    return list;
}

} // namespace core
