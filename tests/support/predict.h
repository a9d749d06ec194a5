#pragma once

#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/predict/extrapolation.h"
#include "core/predict/predictor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tests {

/// As Predictor::predictJudged(), but throws core::Error where the trace does not support the
/// strategy.
inline core::Prediction predict(core::Predictor &predictor, const core::Strategy &strategy,
                                const core::JobControl &control = {})
{
    core::Prediction prediction = predictor.predictJudged(strategy, control);
    if (prediction.obstacle)
        throw core::Error(*prediction.obstacle);
    return prediction;
}

inline core::Prediction predict(const core::Trace &trace, std::shared_ptr<const core::Graph> graph,
                                const core::Strategy &strategy,
                                const core::JobControl &control = {})
{
    core::Predictor predictor(trace, std::move(graph), control);
    return predict(predictor, strategy, control);
}

/// Why a change of that key cannot be predicted on a graph, whose links are not known unless given.
inline std::optional<std::string> obstacle(const core::Graph &graph, const char *key,
                                           const core::LinkModels &links = {},
                                           const core::Trace &trace = {})
{
    return core::changeObstacle({ trace, graph, links }, core::Change(key, std::string()));
}

/// By link of the prediction, as links of all-reduces.
inline core::LinkModels linksOf(const core::Prediction &prediction)
{
    core::LinkModels links;
    for (const core::LinkModel &link : prediction.links)
        links[{ core::DeviceId(static_cast<std::uint32_t>(links.size())), "all_reduce" }] = link;
    return links;
}

/// What speaks against a prediction that is made by hand.
inline std::vector<core::TrustReason> doubts(const core::Graph &recorded,
                                             const core::Prediction &prediction,
                                             const core::ReplayedOverlap &unchanged = {},
                                             const core::Trace &trace = {})
{
    const core::LinkModels links = linksOf(prediction);
    return core::extrapolations({ { trace, recorded, links },
                                  prediction.graph ? *prediction.graph : recorded,
                                  prediction.strategy,
                                  {},
                                  prediction.unchangedNs,
                                  prediction.predictedNs,
                                  prediction.noChange.has_value() },
                                prediction, unchanged);
}

} // namespace tests
