#include "ui/views/compare/result_header.h"

#include "ui/theme/theme.h"
#include "ui/views/compare/result_text.h"
#include "ui/views/compare/trust_badge.h"
#include "ui/widgets/format.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStringList>
#include <QToolTip>

#include <algorithm>
#include <memory>
#include <utility>

namespace ui {
namespace {

    constexpr int PartsLine = 20;
    constexpr int MostLinesOfParts = 8; ///< title and parts
    constexpr int PartColumns = 3; ///< measured, predicted, difference
    constexpr int Figures = 3;
    constexpr int NarrowestUsual = 820; ///< width of the header with the figures side by side
    constexpr int NoteOffset = 54; ///< of the line below a figure, from the first line
    constexpr int BadgeRoom = 26; ///< below the predicted time
    constexpr int CompactTitleHeight = 20, CompactNoteHeight = 18;
    constexpr int CompactStep = CompactTitleHeight + CompactNoteHeight + space::tiny;

    /// One line; what is too long ends in an ellipsis rather than in half a letter.
    void drawLine(QPainter &painter, const QRect &box, const QString &text,
                  Qt::Alignment alignment = Qt::AlignLeft)
    {
        painter.drawText(box, alignment,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, box.width()));
    }

    QColor changeColour(const core::Prediction &result, const Theme &theme)
    {
        if (result.isJudged && result.trust == core::TrustLevel::Poor && !result.strategy.isEmpty())
            return theme.secondaryText;
        switch (verdictOf(result)) {
        case ChangeVerdict::Better:
            return theme.better;
        case ChangeVerdict::Worse:
            return theme.worse;
        case ChangeVerdict::Neither:
            break;
        }
        return theme.text;
    }

} // namespace

struct ResultHeader::Figure
{
    QString title, value, note;
    QColor colour;
    bool hasBadge = false; ///< of trust, below it
};

ResultHeader::ResultHeader(QWidget *parent)
    : QWidget(parent)
    , m_trust(new TrustBadge(this))
{
    m_trust->hide();
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ResultHeader::setResult(std::shared_ptr<const core::Prediction> result,
                             std::shared_ptr<const core::Prediction> reference)
{
    m_result = std::move(result);
    m_reference = std::move(reference);
    m_lines = m_result == nullptr
        ? 0
        : std::max(m_lines, 1 + resultParts(partsBefore(), m_result->predictedParts).size());
    m_trust->setVisible(m_result != nullptr);
    updateGeometry();
    placeBadge();
    update();
}

void ResultHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    placeBadge();
}

bool ResultHeader::isDoubted() const
{
    return m_result->isJudged && !m_result->strategy.isEmpty()
        && m_result->trust == core::TrustLevel::Poor;
}

/// Below the predicted time; in a narrow window behind it.
void ResultHeader::placeBadge()
{
    if (m_result == nullptr)
        return;
    if (isCompact()) {
        const int width = QFontMetrics(uiFont(TextSize::Normal, QFont::DemiBold))
                              .horizontalAdvance(figures()[1].value);
        m_trust->move(compactValueX() + width + space::small, space::medium + CompactStep);
    } else {
        m_trust->move(space::large + figureWidth(), space::large + NoteOffset);
    }
    m_trust->resize(m_trust->sizeHint());
}

std::int64_t ResultHeader::beforeNs() const
{
    return m_reference != nullptr ? m_reference->predictedNs : m_result->measuredNs;
}

const core::PartTimes &ResultHeader::partsBefore() const
{
    return m_reference != nullptr ? m_reference->predictedParts : m_result->measuredParts;
}

void ResultHeader::setMessage(const QString &message)
{
    m_message = message;
    setAccessibleDescription(message);
    update();
}

void ResultHeader::setGiven(const QString &given)
{
    m_given = given;
    update();
}

QSize ResultHeader::sizeHint() const
{
    const std::size_t lines = m_result == nullptr ? MostLinesOfParts : m_lines;
    return { 960, static_cast<int>(lines) * PartsLine + 2 * space::medium };
}

int ResultHeader::partNameWidth() const
{
    const QFontMetrics small(uiFont(TextSize::Small));
    const QFontMetrics metrics(uiFont(isCompact() ? TextSize::Small : TextSize::Normal));
    int widest = m_result == nullptr ? 0 : small.horizontalAdvance(meanTitle(*m_result));
    if (m_result != nullptr)
        for (const ResultPart &part : resultParts(partsBefore(), m_result->predictedParts))
            widest = std::max(widest, metrics.horizontalAdvance(part.name));
    return widest + space::small;
}

int ResultHeader::partColumnWidth() const
{
    constexpr int Compact = 64, Usual = 80;
    return isCompact() ? Compact : Usual;
}

int ResultHeader::partsWidth() const
{
    return partNameWidth() + PartColumns * partColumnWidth();
}

int ResultHeader::roomForFigures() const
{
    return width() - partsWidth() - 2 * space::large;
}

bool ResultHeader::isCompact() const
{
    return width() < NarrowestUsual;
}

int ResultHeader::figureWidth() const
{
    constexpr int Widest = 200;
    return std::min(roomForFigures() / Figures, Widest);
}

void ResultHeader::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.background);
    painter.fillRect(0, height() - 1, width(), 1, theme.line);
    if (m_result == nullptr) {
        painter.setPen(theme.secondaryText);
        painter.setFont(uiFont(TextSize::Normal));
        painter.drawText(rect().adjusted(space::large, 0, -space::large, 0),
                         int(Qt::AlignVCenter) | int(Qt::TextWordWrap), m_message);
        return;
    }
    if (isCompact())
        paintFiguresCompactly(painter);
    else
        paintFigures(painter);
    paintParts(painter);
}

bool ResultHeader::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip || m_result == nullptr || !isCompact())
        return QWidget::event(event);
    QStringList lines;
    for (const Figure &figure : figures())
        lines << tr("%1: %2; %3").arg(figure.title, figure.value, figure.note);
    QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(),
                       toolTipParagraphs(lines.join(QLatin1Char('\n'))), this);
    return true;
}

std::vector<ResultHeader::Figure> ResultHeader::figures() const
{
    const Theme &theme = themeOf(palette());
    const core::Prediction &result = *m_result;
    const bool isWhatIf = !result.strategy.isEmpty();
    const Figure before = m_reference != nullptr
        ? Figure { tr("Reference"), formatDuration(m_reference->predictedNs),
                   predictedCaption(m_reference->strategy, {}), theme.text }
        : Figure { result.hasIterations ? tr("Measured iteration") : tr("Measured"),
                   formatDuration(result.measuredNs), measuredNote(result), theme.text };
    return {
        before,
        { isWhatIf ? tr("Predicted") : tr("Replayed unchanged"), formatDuration(result.predictedNs),
          intervalText(result)
              + (m_given.isEmpty() ? QString() : u'\n' + tr("Given by you: %1").arg(m_given)),
          isDoubted() ? theme.secondaryText : theme.text, true },
        m_reference != nullptr ? Figure { tr("Change"), changeText(beforeNs(), result.predictedNs),
                                          tr("of the reference: %1")
                                              .arg(differenceText(beforeNs(), result.predictedNs)),
                                          theme.text }
                               : Figure { tr("Change"), changeText(beforeNs(), result.predictedNs),
                                          changeNote(result), changeColour(result, theme) },
    };
}

void ResultHeader::paintFigures(QPainter &painter) const
{
    const Theme &theme = themeOf(palette());
    int x = space::large;
    const int step = figureWidth();
    for (const Figure &figure : figures()) {
        const int noteY = space::large + NoteOffset + (figure.hasBadge ? BadgeRoom : 0);
        painter.setFont(uiFont(TextSize::Small));
        painter.setPen(theme.secondaryText);
        drawLine(painter, QRect(x, space::large, step - space::small, 16), figure.title);
        painter.drawText(QRect(x, noteY, step - space::small, height() - noteY),
                         Qt::AlignLeft | Qt::TextWordWrap, figure.note);
        painter.setFont(uiFont(TextSize::Title, QFont::DemiBold));
        painter.setPen(figure.colour);
        drawLine(painter, QRect(x, space::large + 20, step, 30), figure.value);
        x += step;
    }
}

int ResultHeader::compactValueX() const
{
    const QFontMetrics metrics(uiFont(TextSize::Small));
    int titleWidth = 0;
    for (const Figure &figure : figures())
        titleWidth = std::max(titleWidth, metrics.horizontalAdvance(figure.title));
    return space::large + titleWidth + space::medium;
}

void ResultHeader::paintFiguresCompactly(QPainter &painter) const
{
    constexpr int TitleHeight = CompactTitleHeight, NoteHeight = CompactNoteHeight;
    constexpr auto LeftInMiddle = Qt::AlignLeft | Qt::AlignVCenter;
    const Theme &theme = themeOf(palette());
    const int room = roomForFigures() - space::small;
    const std::vector<Figure> all = figures();
    const int valueX = compactValueX() - space::large; // beside the titles, away from the table
    const int titleWidth = valueX - space::medium;
    int y = space::medium;
    for (const Figure &figure : all) {
        const QRect box(space::large, y, room, TitleHeight);
        painter.setFont(uiFont(TextSize::Normal, QFont::DemiBold));
        painter.setPen(figure.colour);
        drawLine(painter, box.adjusted(valueX, 0, 0, 0), figure.value, LeftInMiddle);
        painter.setPen(theme.secondaryText);
        painter.setFont(uiFont(TextSize::Small));
        drawLine(painter, QRect(box.left(), y, titleWidth + 1, TitleHeight), figure.title,
                 LeftInMiddle);
        QString note = figure.note;
        drawLine(painter, QRect(space::large, y + TitleHeight, room, NoteHeight),
                 note.replace(QLatin1Char('\n'), QStringLiteral("; ")));
        y += CompactStep;
    }
}

void ResultHeader::paintParts(QPainter &painter) const
{
    const Theme &theme = themeOf(palette());
    const int nameWidth = partNameWidth();
    int y = space::medium;
    const int left = isCompact() ? width() - space::large - partsWidth()
                                 : space::large + Figures * figureWidth();
    const int columnWidth = partColumnWidth();
    const auto cell = [&](int column, const QString &text, const QColor &colour) {
        painter.setPen(colour);
        const int columnX = left + nameWidth + (column - 1) * columnWidth;
        const QRect box = column == 0 ? QRect(left, y, nameWidth, PartsLine)
                                      : QRect(columnX, y, columnWidth, PartsLine);
        drawLine(painter, box, text,
                 (column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    };
    painter.setFont(uiFont(TextSize::Small));
    cell(0, meanTitle(*m_result), theme.secondaryText);
    cell(1, m_reference != nullptr ? tr("reference") : tr("measured"), theme.secondaryText);
    cell(2, tr("predicted"), theme.secondaryText);
    cell(3, tr("difference"), theme.secondaryText);
    painter.setFont(uiFont(isCompact() ? TextSize::Small : TextSize::Normal));
    for (const ResultPart &part : resultParts(partsBefore(), m_result->predictedParts)) {
        y += PartsLine;
        const QColor colour = part.isOfSum ? theme.text : theme.secondaryText;
        cell(0, part.name, colour);
        cell(1, formatDuration(part.measuredNs), colour);
        cell(2, formatDuration(part.predictedNs), colour);
        cell(3, differenceText(part.measuredNs, part.predictedNs), theme.secondaryText);
    }
}

} // namespace ui
