#include "ui/views/summary/bottleneck_row.h"

#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/base/sentence.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/views/summary/sentence_list.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

    constexpr int gainWidth = 200;
    constexpr int barHeight = 8;
    constexpr int numberWidth = 20;

    double fractionOf(std::int64_t gainNs, std::int64_t largestNs)
    {
        return largestNs > 0
            ? std::clamp(static_cast<double>(gainNs) / static_cast<double>(largestNs), 0.0, 1.0)
            : 0.0;
    }

} // namespace

/// The bar of predicted gain; full width is the largest gain of the list. A line across its end
/// is the 95 % interval.
class GainBar : public QWidget
{
public:
    GainBar(std::int64_t gainNs, std::int64_t largestNs, QWidget *parent)
        : QWidget(parent)
        , m_gainNs(gainNs)
        , m_largestNs(largestNs)
    {
        setFixedHeight(barHeight);
    }

    void setInterval(const std::optional<core::GainInterval> &interval)
    {
        m_interval = interval;
        update();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme &theme = themeOf(palette());
        QPainter painter(this);
        painter.fillRect(rect(), blend(theme.background, theme.text, 0.08));
        painter.fillRect(QRect(0, 1, std::max(placeOf(m_gainNs), 1), height() - 2), theme.better);
        if (!m_interval)
            return;
        const int low = std::min(placeOf(m_interval->lowNs), width() - 1);
        const int high = std::min(placeOf(m_interval->highNs), width() - 1);
        painter.fillRect(QRect(low, height() / 2 - 1, high - low + 1, 2), theme.text);
        painter.fillRect(QRect(low, 0, 1, height()), theme.text);
        painter.fillRect(QRect(high, 0, 1, height()), theme.text);
    }

private:
    int placeOf(std::int64_t ns) const
    {
        return static_cast<int>(fractionOf(ns, m_largestNs) * width());
    }

    std::int64_t m_gainNs, m_largestNs;
    std::optional<core::GainInterval> m_interval;
};

namespace {

    /// Sentences below each other, in quieter words.
    QWidget *createEvidence(const std::vector<std::string> &lines, QWidget *parent)
    {
        auto *evidence = new QWidget(parent);
        auto *column = new QVBoxLayout(evidence);
        column->setContentsMargins(0, space::tiny, 0, 0);
        column->setSpacing(2);
        for (const std::string &line : lines)
            column->addWidget(createSentence(line, TextRole::Secondary, evidence));
        return evidence;
    }

    QLabel *createParagraph(const QString &text, TextRole role, QWidget *parent)
    {
        QLabel *label = createLabel(text, role, parent);
        label->setWordWrap(true);
        return label;
    }

} // namespace

BottleneckRow::BottleneckRow(const core::Bottleneck &bottleneck, int number, const Scale &scale,
                             bool isSearched, QWidget *parent)
    : QAbstractButton(parent)
{
    const QString title = unbrokenUnits(QString::fromStdString(bottleneck.title));
    setAccessibleName(title);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    // A button is never narrower than its hint, the text in few lines: layouts around it would ask
    // for its height in that width.
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);

    QLabel *numberLabel = createLabel(QString::number(number), TextRole::Secondary, this);
    numberLabel->setFixedWidth(numberWidth);
    auto *chevron = new QLabel(this);
    chevron->setPixmap(themedIcon(QStringLiteral("chevron-right"), palette()).pixmap(16));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(space::large, space::medium, space::medium, space::medium);
    row->setSpacing(space::medium);
    row->addWidget(numberLabel, 0, Qt::AlignTop);
    QWidget *text = createText(bottleneck);
    row->addWidget(text, 1);
    row->addSpacing(space::huge);
    row->addWidget(createGain(bottleneck, scale), 0, Qt::AlignTop);
    row->addWidget(chevron, 0, Qt::AlignVCenter);
    const auto labels = findChildren<QWidget *>();
    for (QWidget *child : labels)
        child->setAttribute(Qt::WA_TransparentForMouseEvents);
    // Above the row, which is a button itself.
    text->layout()->addWidget(createLinks(bottleneck, isSearched));
    std::vector<std::string> evidence = bottleneck.evidence;
    if (const std::string first = core::firstSentence(bottleneck.advice);
        first.size() < bottleneck.advice.size())
        evidence.push_back(bottleneck.advice.substr(first.size() + 1));
    m_evidence = createEvidence(evidence, text);
    m_evidence->hide();
    text->layout()->addWidget(m_evidence);
    text->setAttribute(Qt::WA_TransparentForMouseEvents, false);
}

QWidget *BottleneckRow::createText(const core::Bottleneck &bottleneck)
{
    auto *text = new QWidget(this);
    auto *column = new QVBoxLayout(text);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    QLabel *title = createParagraph(unbrokenUnits(QString::fromStdString(bottleneck.title)),
                                    TextRole::Normal, text);
    title->setFont(uiFont(TextSize::Normal, QFont::DemiBold));
    column->addWidget(title);
    const auto addLine = [&](const std::string &line, TextRole role) {
        if (!line.empty())
            column->addWidget(
                createParagraph(unbrokenUnits(QString::fromStdString(line)), role, text));
    };
    addLine(bottleneck.reason, TextRole::Normal);
    addLine(core::firstSentence(bottleneck.advice), TextRole::Normal);
    return text;
}

QWidget *BottleneckRow::createLinks(const core::Bottleneck &bottleneck, bool isSearched)
{
    const bool hasPlace = bottleneck.slice != core::NoSlice;
    auto *links = new QWidget(this);
    auto *line = new QHBoxLayout(links);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::large);
    if (isSearched) {
        QPushButton *link = createLink(tr("Find the best buckets"), links);
        link->setProperty("flush", true);
        link->setToolTip(tr("Searches for them in Strategies"));
        line->addWidget(link);
        connect(link, &QPushButton::clicked, this, &BottleneckRow::searchRequested);
    }
    if (!bottleneck.strategy.isEmpty()) {
        QPushButton *link = createLink(tr("Try it in Compare"), links);
        link->setProperty("flush", true);
        link->setToolTip(toolTipParagraphs(QString::fromStdString(core::tryCommand(bottleneck))));
        line->addWidget(link);
        connect(link, &QPushButton::clicked, this, &BottleneckRow::tryRequested);
    }
    if (hasPlace) {
        QPushButton *link = createLink(tr("Show in graph"), links);
        link->setProperty("flush", true);
        link->setToolTip(tr("Selects it in the graph: what it waits for, and what waits for it"));
        line->addWidget(link);
        connect(link, &QPushButton::clicked, this, &BottleneckRow::graphRequested);
    }
    if (!bottleneck.evidence.empty()) {
        m_evidenceLink = createLink(tr("Evidence"), links);
        m_evidenceLink->setProperty("flush", true);
        m_evidenceLink->setCheckable(true);
        m_evidenceLink->setToolTip(tr("Shows what this rests on"));
        line->addWidget(m_evidenceLink);
        connect(m_evidenceLink, &QPushButton::toggled, this, &BottleneckRow::showEvidence);
    }
    line->addStretch(1);
    return links;
}

void BottleneckRow::showEvidence(bool isShown)
{
    m_evidenceLink->setText(isShown ? tr("Hide evidence") : tr("Evidence"));
    m_evidence->setVisible(isShown);
    updateGeometry();
}

QWidget *BottleneckRow::createGain(const core::Bottleneck &bottleneck, const Scale &scale)
{
    auto *gain = new QWidget(this);
    gain->setFixedWidth(gainWidth);
    auto *column = new QVBoxLayout(gain);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::tiny);
    auto *line = new QHBoxLayout;
    QLabel *value = createLabel(formatDelta(-bottleneck.gainNs), TextRole::Normal, gain);
    value->setFont(uiFont(TextSize::Normal, QFont::DemiBold));
    line->addWidget(value);
    line->addStretch(1);
    line->addWidget(createLabel(scale.shareOf.arg(formatPercent(bottleneck.gainFraction)),
                                TextRole::Small, gain));
    column->addLayout(line);
    m_bar = new GainBar(bottleneck.gainNs, scale.largestGainNs, gain);
    column->addWidget(m_bar);
    m_interval = createLabel({}, TextRole::Small, gain);
    m_interval->setAlignment(Qt::AlignRight);
    column->addWidget(m_interval);
    setGainInterval(bottleneck.gainInterval, bottleneck.unknownInterval);
    return gain;
}

void BottleneckRow::setGainInterval(const std::optional<core::GainInterval> &interval,
                                    const std::string &unknown)
{
    const QString place = tr("Show this in the timeline");
    setToolTip(unknown.empty()
                   ? place
                   : toolTipParagraphs(
                       tr("95 % interval not known: %1").arg(QString::fromStdString(unknown))
                       + QLatin1Char('\n') + place));
    m_bar->setInterval(interval);
    if (!interval)
        return m_interval->setText(unknown.empty() ? QString() : tr("interval not known"));
    const QString range
        = tr("95 %: %1 to %2").arg(formatDelta(-interval->lowNs), formatDelta(-interval->highNs));
    m_interval->setText(interval->mayBeNothing() ? tr("may be nothing") + u'\n' + range : range);
}

QSize BottleneckRow::sizeHint() const
{
    return layout()->sizeHint();
}

int BottleneckRow::heightForWidth(int width) const
{
    return layout()->heightForWidth(width);
}

void BottleneckRow::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(palette());
    QPainter painter(this);
    if (underMouse() || isDown())
        painter.fillRect(rect(), theme.hover);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
    if (hasFocus()) {
        painter.setPen(theme.accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace ui
