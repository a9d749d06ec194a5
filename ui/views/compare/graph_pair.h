#pragma once

#include "core/predict/prediction.h"
#include "ui/graph/graph_job.h"
#include "ui/jobs/job.h"

#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>

namespace ui {

class ElidedLabel;
class GraphCanvas;

/// What the two graphs of a comparison are of.
struct GraphPairSubject
{
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Prediction> above;
    std::shared_ptr<const core::Prediction> below; ///< null: only one is drawn

    bool operator==(const GraphPairSubject &) const = default;
};

/// Two pictures, each marked beside the other.
struct PicturePair
{
    GraphPicture above, below;
};

/// An op that is selected in one of the two.
struct PairedOp
{
    core::OpId op;
    bool isBelow = false;
};

/// The measured graph above the predicted one: moved, zoomed, opened and selected together, what
/// was added, moved and removed marked. Draws while it is seen.
class GraphPair : public QWidget
{
    Q_OBJECT

public:
    explicit GraphPair(QWidget *parent);

    /// `caption`: of the lower graph, or why there is none.
    void setSubject(const GraphPairSubject &subject, const QString &caption);
    /// The first op of the selected block, where one was chosen last.
    std::optional<PairedOp> selectedOp() const;
    bool isDrawing() const { return m_job.isRunning(); }

signals:
    void failed(const QString &message);

protected:
    void showEvent(QShowEvent *event) override;

private:
    struct Half
    {
        GraphCanvas *canvas = nullptr;
        core::DrawingOptions options;
        std::shared_ptr<const core::GraphOutline> outline;
    };
    QWidget *createHalf(const QString &name, Half &half);
    void tie(Half &from, Half &to);
    void draw(bool keepsView);
    void showPictures(const PicturePair &pair);
    void showHalf(Half &half, const GraphPicture &picture);
    void toggleOpen(Half &from, Half &to, const core::BlockKey &key);
    /// Of a block of one half in the other.
    std::optional<std::uint32_t> counterpart(const Half &from, std::uint32_t block,
                                             const Half &to) const;

    GraphPairSubject m_subject;
    ElidedLabel *m_caption;
    QWidget *m_lower = nullptr;
    Half m_above, m_below;
    bool m_isTying = false;
    bool m_keepsView = false; ///< of the drawing that is made
    bool m_isStale = false; ///< it is to be drawn when it is seen
    bool m_isBelowChosen = false;
    Job<PicturePair> m_job;
};

} // namespace ui
