#pragma once

#include "core/blocks/find_ops.h"
#include "ui/graph/graph_job.h"
#include "ui/jobs/job.h"
#include "ui/widgets/screenshot_states.h"

#include <QWidget>

#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QStackedLayout;

namespace ui {

class BlockDetails;
class ElidedLabel;
class GraphCanvas;
class GraphMinimap;
class Session;
struct GraphSubject;
class StatePage;

/// The global data-flow graph of one iteration, drawn: ranks and links as lanes, phases as blocks
/// that can be opened, what waits for what, and the critical path.
class GraphView : public QWidget, public ScreenshotStates
{
    Q_OBJECT

public:
    GraphView(Session &session, QWidget *parent);
    ~GraphView() override;

    QStringList screenshotStates() const override;
    void enterScreenshotState(const QString &state) override;
    bool isReadyForScreenshot() const override;

protected:
    void showEvent(QShowEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

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
    void showPicture(const GraphPicture &picture);
    void forgetOutline();
    void chooseRanks();
    void toggleOpen(const core::BlockKey &block);
    void showSelection();
    void tellSession();
    void showInTimeline();
    void followSession();
    void findNext();
    void revealOp(const core::OpPlace &place);
    /// What another view asks for: once its graph is drawn, it is selected and framed.
    void reveal(const GraphSubject &subject);
    void chooseIterationOf(const GraphSubject &subject);
    void showWanted();
    std::optional<core::OpPlace> placeOf(const GraphSubject &subject) const;
    void selectKey(const core::BlockKey &key);
    std::int64_t durationNs() const; ///< of the shown iteration
    QString titleText() const;
    bool isDrawn(const core::OpPlace &place) const;

    Session &m_session;
    GraphCanvas *m_canvas;
    GraphMinimap *m_minimap;
    BlockDetails *m_details;
    StatePage *m_state;
    QStackedLayout *m_pages;
    QComboBox *m_which = nullptr, *m_iteration = nullptr, *m_arrangement = nullptr,
              *m_level = nullptr;
    QCheckBox *m_folds = nullptr;
    QSpinBox *m_depth = nullptr;
    QLineEdit *m_search = nullptr, *m_ranks = nullptr;
    QLabel *m_found = nullptr;
    ElidedLabel *m_note = nullptr; ///< a line below the drawing
    std::shared_ptr<const core::Prediction> m_result; ///< that is shown
    std::shared_ptr<const core::GraphOutline> m_outline, m_beforeOutline;
    core::DrawingOptions m_options;
    std::vector<int> m_chosenRanks; ///< none: all
    std::vector<core::OpPlace> m_hits; ///< of the search
    std::size_t m_nextHit = 0;
    QString m_searched;
    std::optional<core::BlockKey> m_toSelect; ///< once it is drawn
    std::unique_ptr<GraphSubject> m_wanted; ///< to be shown once it is drawn
    bool m_framesSelection = false; ///< once it is drawn
    bool m_isTelling = false; ///< the session of the selection
    bool m_tellsWhenDrawn = false; ///< what is selected then
    bool m_keepsView = false; ///< of the drawing that is made
    bool m_isStale = false; ///< it is to be drawn when it is seen
    bool m_hasToFollow = false; ///< the same of the session's selection
    Job<GraphPicture> m_job;
};

} // namespace ui
