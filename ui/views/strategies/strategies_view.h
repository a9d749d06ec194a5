#pragma once

#include "core/optimize/strategy_file.h"
#include "ui/jobs/job.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QModelIndex;
class QPlainTextEdit;
class QPushButton;
class QStackedLayout;
class QTabWidget;
class QTableView;

namespace ui {

class BestCurve;
class CandidatesModel;
class ConfigPane;
class LaterRunPane;
class PartBars;
class PassPanel;
class PublishedButton;
class SavedList;
class Session;
class StatePage;
class StepsModel;
class StrategyShelf;

/// Searches for faster strategies: what to search, the best so far as it is found, the ranked
/// results, how each was found, and the config file that sets it.
class StrategiesView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    StrategiesView(Session &session, QWidget *parent);
    ~StrategiesView() override;

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

private:
    /// The strategy that is looked at.
    struct Shown
    {
        QString name;
        core::Strategy strategy;
        std::vector<std::string> explanation;
        std::vector<core::StrategyStep> steps;
        std::optional<std::size_t> candidate; ///< index; empty: a saved or published one
        std::vector<core::StrategyPart> parts = {}; ///< what each contributes, where it is known
        std::int64_t predictedNs = 0; ///< of the iteration, where `parts` are known
    };

    QWidget *createPage();
    QWidget *createLeft();
    QWidget *createRight();
    QWidget *createResults();
    QWidget *createDetails();
    QWidget *createWhy();
    void createActions();
    void showTab();
    void onProjectChanged();
    void onAnalysisChanged();
    void findObstacles();
    void showSearch();
    void showSteps();
    void showResult();
    void showBaselines(const core::SearchResult &result);
    void showCandidate(const QModelIndex &index);
    void showSaved(std::int64_t id);
    void showPublished(const QString &title, const core::Strategy &strategy, const QString &times);
    void showStrategy(const Shown &shown);
    void showNothing();
    void startSearch();
    void startSearchFrom(const core::Strategy &start);
    void showSelection();
    void compareShown();
    void saveShown();

    Session &m_session;
    StrategyShelf *m_shelf;
    CandidatesModel *m_candidates;
    StepsModel *m_steps;
    std::optional<Shown> m_shown;
    StatePage *m_state;
    QStackedLayout *m_pages;
    PassPanel *m_panel = nullptr;
    SavedList *m_saved = nullptr;
    QLabel *m_verdict = nullptr;
    QLabel *m_progress = nullptr;
    QLabel *m_baselines = nullptr;
    BestCurve *m_curve = nullptr;
    QTableView *m_table = nullptr;
    QTableView *m_stepTable = nullptr;
    QLabel *m_name = nullptr;
    QPlainTextEdit *m_why = nullptr;
    PartBars *m_parts = nullptr;
    PublishedButton *m_published = nullptr;
    QTabWidget *m_tabs = nullptr;
    ConfigPane *m_config = nullptr;
    LaterRunPane *m_later = nullptr;
    QPushButton *m_continue = nullptr;
    QPushButton *m_compare = nullptr;
    QPushButton *m_save = nullptr;
    Job<std::map<std::string, std::string>> m_obstaclesJob; // last: it dies first
};

} // namespace ui
