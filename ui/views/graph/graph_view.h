#pragma once

#include "core/blocks/find_ops.h"
#include "ui/jobs/job.h"
#include "ui/views/graph/graph_job.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QScrollBar;
class QSpinBox;
class QStackedLayout;

namespace ui {

class BlockDetails;
class GraphCanvas;
class GraphMinimap;
class Session;
class StatePage;

/// The global data-flow graph of one iteration, drawn: ranks and links as lanes, phases as blocks
/// that can be opened, what waits for what, and the critical path.
class GraphView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    GraphView(Session &session, QWidget *parent);

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

protected:
    void showEvent(QShowEvent *event) override;

private:
    QWidget *createPage();
    QWidget *createToolBar();
    void createChoices(QWidget &bar);
    void createNarrowing(QWidget &bar);
    void connectChoices();
    void showResult();
    void showWhyEmpty();
    void listIterations();
    /// Draws anew; `keepsView`: nothing else than what is open changes.
    void draw(bool keepsView);
    void showPicture(GraphPicture picture);
    void forgetOutline();
    void chooseRanks();
    void toggleOpen(const core::BlockKey &block);
    void showSelection();
    void tellSession();
    void showInTimeline();
    void followSession();
    void findNext();
    void limitScrollBar();
    void revealOp(const core::OpPlace &place);
    QString titleText() const;
    bool isDrawn(const core::OpPlace &place) const;

    Session &m_session;
    GraphCanvas *m_canvas;
    GraphMinimap *m_minimap;
    BlockDetails *m_details;
    StatePage *m_state;
    QStackedLayout *m_pages;
    QScrollBar *m_scroll;
    QComboBox *m_which = nullptr, *m_iteration = nullptr, *m_arrangement = nullptr,
              *m_level = nullptr;
    QCheckBox *m_folds = nullptr;
    QSpinBox *m_depth = nullptr;
    QLineEdit *m_search = nullptr, *m_ranks = nullptr;
    QLabel *m_note = nullptr, *m_found = nullptr;
    std::shared_ptr<const core::Prediction> m_result; ///< that is shown
    std::shared_ptr<const core::GraphOutline> m_outline;
    core::DrawingOptions m_options;
    std::vector<int> m_chosenRanks; ///< none: all
    std::vector<core::OpPlace> m_hits; ///< of the search
    std::size_t m_nextHit = 0;
    QString m_searched;
    std::optional<core::BlockKey> m_toSelect; ///< once it is drawn
    bool m_isTelling = false; ///< the session of the selection
    bool m_tellsWhenDrawn = false; ///< what is selected then
    bool m_keepsView = false; ///< of the drawing that is made
    bool m_isStale = false; ///< it is to be drawn when it is seen
    bool m_hasToFollow = false; ///< the same of the session's selection
    Job<GraphPicture> m_job;
};

} // namespace ui
