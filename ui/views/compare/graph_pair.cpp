#include "ui/views/compare/graph_pair.h"

#include "core/measure/typical_iteration.h"
#include "ui/graph/graph_canvas.h"
#include "ui/graph/graph_legend.h"
#include "ui/graph/graph_scroll_bar.h"
#include "ui/theme/measures.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

    PicturePair makePair(const GraphRequest &above, GraphRequest below,
                         const core::JobControl &control)
    {
        PicturePair pair { makePicture(above, control.part(0, 0.5)), {} };
        if (below.result == nullptr)
            return pair;
        below.before = above.result;
        below.beforeOutline = pair.above.outline;
        pair.below = makePicture(below, control.part(0.5, 1));
        if (pair.below.difference != nullptr)
            pair.above.difference
                = std::make_shared<const core::DrawingDifference>(core::differenceBefore(
                    *pair.above.outline, *pair.below.outline, *pair.above.drawing));
        return pair;
    }

    bool hasGraph(const std::shared_ptr<const core::Prediction> &result)
    {
        return result != nullptr && result->graph != nullptr && result->replay != nullptr;
    }

} // namespace

GraphPair::GraphPair(QWidget *parent)
    : QWidget(parent)
    , m_caption(new ElidedLabel(TextRole::Secondary, this))
{
    m_caption->setContentsMargins(space::large, space::tiny, space::large, space::tiny);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *halves = new QSplitter(Qt::Vertical, this);
    halves->addWidget(createHalf(tr("Graph above"), m_above));
    m_lower = createHalf(tr("Predicted graph"), m_below);
    auto *below = new QWidget(halves);
    auto *captioned = new QVBoxLayout(below);
    captioned->setContentsMargins(0, 0, 0, 0);
    captioned->setSpacing(0);
    captioned->addWidget(m_caption);
    captioned->addWidget(m_lower, 1);
    halves->addWidget(below);
    halves->setStretchFactor(0, 1);
    halves->setStretchFactor(1, 1);
    halves->setChildrenCollapsible(false);
    column->addWidget(halves, 1);
    column->addWidget(new GraphLegend({ m_above.canvas, m_below.canvas }, this));
    tie(m_above, m_below);
    tie(m_below, m_above);
}

QWidget *GraphPair::createHalf(const QString &name, Half &half)
{
    auto *widget = new QWidget(this);
    half.canvas = new GraphCanvas(widget);
    half.canvas->setAccessibleName(name);
    auto *column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *body = new QHBoxLayout;
    body->setSpacing(0);
    body->addWidget(half.canvas, 1);
    body->addWidget(new GraphScrollBar(*half.canvas, widget));
    column->addLayout(body, 1);
    return widget;
}

void GraphPair::tie(Half &from, Half &to)
{
    connect(from.canvas, &GraphCanvas::viewChanged, this, [this, &from, &to] {
        if (std::exchange(m_isTying, true))
            return;
        to.canvas->showAs(*from.canvas);
        m_isTying = false;
    });
    connect(from.canvas, &GraphCanvas::openRequested, this,
            [this, &from, &to](const core::BlockKey &key) { toggleOpen(from, to, key); });
    connect(from.canvas, &GraphCanvas::blockChosen, this, [this, &from, &to] {
        m_isBelowChosen = &from == &m_below;
        to.canvas->select(counterpart(from, *from.canvas->selected(), to));
    });
}

std::optional<std::uint32_t> GraphPair::counterpart(const Half &from, std::uint32_t block,
                                                    const Half &to) const
{
    const auto isShown = [](const Half &half) {
        return half.outline != nullptr && half.canvas->drawing() != nullptr;
    };
    if (!isShown(from) || !isShown(to)) // others are on their way
        return std::nullopt;
    return core::counterpartOf({ *from.outline, *from.canvas->drawing() }, block,
                               { *to.outline, *to.canvas->drawing() });
}

void GraphPair::toggleOpen(Half &from, Half &to, const core::BlockKey &key)
{
    const bool isOpening = from.options.open.erase(key) == 0;
    if (isOpening)
        from.options.open.insert(key);
    const std::vector<core::DrawnBlock> &blocks = from.canvas->drawing()->blocks;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        if (core::keyOf(blocks[i]) != key)
            continue;
        const auto other = counterpart(from, i, to);
        if (!other)
            break;
        const core::BlockKey otherKey = core::keyOf(to.canvas->drawing()->blocks[*other]);
        to.options.open.erase(otherKey);
        if (isOpening)
            to.options.open.insert(otherKey);
    }
    draw(true);
}

void GraphPair::setSubject(const GraphPairSubject &subject, const QString &caption)
{
    m_caption->setFullText(caption);
    if (subject == m_subject)
        return;
    m_subject = subject;
    for (Half *const half : { &m_above, &m_below }) {
        half->options.open.clear();
        half->outline.reset();
    }
    draw(false);
}

std::optional<PairedOp> GraphPair::selectedOp() const
{
    const Half &half = m_isBelowChosen ? m_below : m_above;
    if (half.canvas->drawing() == nullptr || half.outline == nullptr || !half.canvas->selected())
        return std::nullopt;
    const core::DrawnBlock &block = half.canvas->drawing()->blocks[*half.canvas->selected()];
    return PairedOp { half.outline->lanes[block.lane].ops[block.first].op, m_isBelowChosen };
}

void GraphPair::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_isStale)
        draw(false);
}

void GraphPair::draw(bool keepsView)
{
    if (!hasGraph(m_subject.above)) {
        m_job.cancel();
        return showPictures({});
    }
    m_isStale = !isVisible();
    if (m_isStale)
        return m_job.cancel();
    m_keepsView = keepsView && (m_keepsView || !m_job.isRunning());
    const bool hasBelow = hasGraph(m_subject.below);
    const core::Prediction &shown = hasBelow ? *m_subject.below : *m_subject.above;
    const std::size_t iteration = core::longestKind(shown, shown.typicalIteration);
    GraphRequest above {
        m_subject.trace, m_subject.above, iteration, m_above.options, {}, m_above.outline, {}, {}
    };
    GraphRequest below { m_subject.trace,
                         hasBelow ? m_subject.below : nullptr,
                         iteration,
                         m_below.options,
                         {},
                         m_below.outline,
                         {},
                         {} };
    m_job.start([above = std::move(above), below = std::move(below)](
                    const core::JobControl &control) { return makePair(above, below, control); },
                [this](const PicturePair &pair) { showPictures(pair); },
                [this](const QString &message) { emit failed(message); });
}

void GraphPair::showPictures(const PicturePair &pair)
{
    m_isTying = true;
    const auto widthOf = [](const GraphPicture &picture) {
        return picture.drawing == nullptr ? 0.0 : picture.drawing->width;
    };
    const double extent = std::max(widthOf(pair.above), widthOf(pair.below));
    m_lower->setVisible(pair.below.drawing != nullptr);
    for (GraphCanvas *const canvas : { m_above.canvas, m_below.canvas })
        canvas->setExtent(extent);
    showHalf(m_above, pair.above);
    showHalf(m_below, pair.below);
    m_isTying = false;
    m_below.canvas->showAs(*m_above.canvas);
    m_keepsView = true;
}

void GraphPair::showHalf(Half &half, const GraphPicture &picture)
{
    half.outline = picture.outline;
    half.canvas->setDrawing(picture.drawing, m_keepsView, picture.difference);
}

} // namespace ui
