#pragma once

#include "core/optimize/search.h"
#include "ui/jobs/job.h"
#include "ui/session/analysis_work.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace ui {

/// The search for a faster strategy of the open project, in a worker thread. GUI thread.
class StrategySearch : public QObject
{
    Q_OBJECT

public:
    explicit StrategySearch(QObject *parent);
    ~StrategySearch() override;

    /// Begins anew; what was found before is forgotten.
    void start(const Loaded &loaded, const std::shared_ptr<const core::Predictor> &predictor,
               const core::SearchRequest &request);
    void setPaused(bool paused);
    void stop(); ///< ends with the best so far
    void clear(); ///< forgets all, without a result
    void outdate(); ///< ends; what was found stays, of the project as it was before

    bool isRunning() const { return m_job.isRunning(); }
    bool isPaused() const;
    JobBase &job() { return m_job; }
    /// Ended without a result, since the project was changed.
    bool isCutOff() const { return m_isCutOff; }
    bool isOutdated() const { return m_isOutdated; } ///< found before the project was changed
    const core::SearchRequest &request() const { return m_request; } ///< of the last start()
    std::int64_t baselineNs() const; ///< 0: not known yet
    /// So far, in the order in which they were tried.
    const std::vector<core::SearchStep> &steps() const { return m_steps; }
    /// Null until a search has ended.
    std::shared_ptr<const core::SearchResult> result() const { return m_result; }

signals:
    void stateChanged(); ///< started, paused, resumed, ended, forgotten
    void stepsAdded();
    void failed(const QString &message);

private:
    struct Feed; ///< between worker and GUI thread
    void fetchSteps();

    std::shared_ptr<Feed> m_feed;
    core::SearchRequest m_request;
    std::vector<core::SearchStep> m_steps;
    std::shared_ptr<const core::SearchResult> m_result;
    bool m_isOutdated = false;
    bool m_isCutOff = false;
    QTimer m_fetch;
    Job<core::SearchResult> m_job; // last: it dies first
};

} // namespace ui
