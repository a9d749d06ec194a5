#include "ui/session/strategy_search.h"

#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

namespace ui {

namespace {

    constexpr int FetchMs = 100;
    constexpr std::chrono::milliseconds CancelCheckPeriod(50); ///< of a paused search

} // namespace

struct StrategySearch::Feed
{
    std::mutex mutex;
    std::condition_variable resumed;
    std::vector<core::SearchStep> steps; ///< that were not fetched
    std::int64_t baselineNs = 0;
    bool isPaused = false, isStopped = false;

    /// Worker thread. Returns when the search is not paused: whether it is to end.
    bool waitWhilePaused(const core::JobControl &control)
    {
        std::unique_lock lock(mutex);
        while (isPaused && !isStopped && !control.isCancelled())
            resumed.wait_for(lock, CancelCheckPeriod);
        return isStopped || control.isCancelled();
    }
};

StrategySearch::StrategySearch(QObject *parent)
    : QObject(parent)
{
    m_fetch.setInterval(FetchMs);
    connect(&m_fetch, &QTimer::timeout, this, &StrategySearch::fetchSteps);
    connect(&m_job, &JobBase::runningChanged, this, [this](bool isRunningNow) {
        if (isRunningNow)
            m_fetch.start();
        else
            m_fetch.stop();
        emit stateChanged(); // one that is stopped at once ends without a result
    });
}

StrategySearch::~StrategySearch()
{
    stop(); // the job's end does not wait for a paused worker
}

void StrategySearch::start(const Loaded &loaded,
                           const std::shared_ptr<const core::Predictor> &predictor,
                           const core::SearchRequest &request)
{
    clear();
    m_request = request;
    m_feed = std::make_shared<Feed>();
    m_job.start(
        [feed = m_feed, loaded, predictor, request](const core::JobControl &control) {
            const core::JobControl pausable(
                [feed, control] { return feed->waitWhilePaused(control); },
                [control](double fraction, std::string_view stage) {
                    control.report(fraction, stage);
                });
            core::Search search(predictorFor(loaded, predictor, pausable.part(0, 0)), request,
                                pausable, [feed](const core::SearchStep &step) {
                                    const std::lock_guard lock(feed->mutex);
                                    feed->steps.push_back(step);
                                });
            {
                const std::lock_guard lock(feed->mutex);
                feed->baselineNs = search.baselineNs();
            }
            return search.run();
        },
        [this](core::SearchResult result) {
            fetchSteps();
            m_result = std::make_shared<const core::SearchResult>(std::move(result));
            emit stateChanged();
        },
        [this](const QString &message) {
            emit stateChanged();
            emit failed(message);
        });
    emit stateChanged();
}

void StrategySearch::setPaused(bool paused)
{
    if (m_feed == nullptr || !isRunning())
        return;
    {
        const std::lock_guard lock(m_feed->mutex);
        m_feed->isPaused = paused;
    }
    m_feed->resumed.notify_all();
    emit stateChanged();
}

void StrategySearch::stop()
{
    if (m_feed == nullptr)
        return;
    {
        const std::lock_guard lock(m_feed->mutex);
        m_feed->isStopped = true;
    }
    m_feed->resumed.notify_all();
}

void StrategySearch::clear()
{
    stop();
    m_job.cancel();
    m_feed.reset();
    m_steps.clear();
    m_result.reset();
    m_isOutdated = m_isCutOff = false;
    emit stateChanged();
}

/// Without a result there is nothing to look at.
void StrategySearch::outdate()
{
    if (m_result != nullptr) {
        m_isOutdated = true;
    } else {
        const bool wasCutOff = isRunning() || m_isCutOff;
        clear();
        m_isCutOff = wasCutOff;
    }
    emit stateChanged();
}

bool StrategySearch::isPaused() const
{
    if (m_feed == nullptr || !isRunning())
        return false;
    const std::lock_guard lock(m_feed->mutex);
    return m_feed->isPaused;
}

std::int64_t StrategySearch::baselineNs() const
{
    if (m_feed == nullptr)
        return 0;
    const std::lock_guard lock(m_feed->mutex);
    return m_feed->baselineNs;
}

void StrategySearch::fetchSteps()
{
    if (m_feed == nullptr)
        return;
    std::vector<core::SearchStep> found;
    {
        const std::lock_guard lock(m_feed->mutex);
        found.swap(m_feed->steps);
    }
    if (found.empty())
        return;
    m_steps.insert(m_steps.end(), std::make_move_iterator(found.begin()),
                   std::make_move_iterator(found.end()));
    emit stepsAdded();
}

} // namespace ui
