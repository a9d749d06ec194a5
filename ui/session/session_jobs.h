#pragma once

#include "core/pipeline/pipeline.h"
#include "ui/jobs/job.h"
#include "ui/session/analysis_work.h"
#include "ui/session/recalled_findings.h"
#include "ui/session/session.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace ui {

/// What a session runs in worker threads.
struct Session::Jobs
{
    Job<core::ImportReport> import;
    Job<RecalledFindings> recall;
    Job<std::pair<std::uint64_t, core::LoadedProject>> load; ///< with the stamp of what it read
    Job<Diagnosed> diagnose;
    Job<core::GainIntervals> gains;
    Job<Predicted> predict;
    Job<Predicted> judge; ///< what `predict` found
    Job<Predicted> reference;
    Job<bool> give;
    Job<bool> keep; ///< writes the findings into the project
    Job<bool> release;
};

/// What is let go of with a project.
struct Session::Snapshots
{
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Graph> graph;
    std::shared_ptr<const core::Diagnosis> diagnosis, recalled;
    std::shared_ptr<const core::Prediction> prediction, reference;
    std::shared_ptr<const core::Predictor> predictor;

    void takeFrom(Session &session)
    {
        trace.swap(session.m_trace);
        graph.swap(session.m_graph);
        diagnosis.swap(session.m_diagnosis);
        recalled.swap(session.m_recalled);
        prediction.swap(session.m_prediction);
        reference.swap(session.m_reference);
        predictor.swap(session.m_predictor);
    }
};

} // namespace ui
