#include "ui/main_window/recent_row.h"

#include "ui/theme/theme.h"
#include "ui/widgets/format.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QPainter>

namespace ui {

namespace {

    constexpr int rowHeight = 52;
    constexpr int factsWidth = 260;

    /// Two lines of text in an area, the second smaller and quieter.
    void drawLines(QPainter &painter, const Theme &theme, const QRect &area, Qt::Alignment side,
                   const QString &first, const QString &second)
    {
        const int half = area.height() / 2;
        painter.setFont(uiFont(TextSize::Normal));
        painter.setPen(theme.text);
        painter.drawText(area.adjusted(0, 0, 0, -half - 1), side | Qt::AlignBottom,
                         painter.fontMetrics().elidedText(first, Qt::ElideMiddle, area.width()));
        painter.setFont(uiFont(TextSize::Small));
        painter.setPen(theme.secondaryText);
        painter.drawText(area.adjusted(0, half + 1, 0, 0), side | Qt::AlignTop,
                         painter.fontMetrics().elidedText(second, Qt::ElideMiddle, area.width()));
    }

} // namespace

RecentRow::RecentRow(const RecentProject &project, QWidget *parent)
    : QPushButton(parent)
    , m_project(project)
{
    setFixedHeight(rowHeight);
    setCursor(Qt::PointingHandCursor);
    setToolTip(toolTipParagraphs(QDir::toNativeSeparators(project.path)));
    setAccessibleName(tr("Open %1").arg(project.path));
    setAttribute(Qt::WA_Hover);
}

void RecentRow::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(palette());
    QPainter painter(this);
    if (underMouse() || hasFocus()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.hover);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.drawRoundedRect(rect(), cornerRadius, cornerRadius);
    }
    const QRect inner = rect().adjusted(space::medium, 0, -space::medium, 0);
    const QRect left = inner.adjusted(0, 0, -factsWidth - space::medium, 0);
    const QRect right(inner.right() - factsWidth, inner.top(), factsWidth, inner.height());
    drawLines(painter, theme, left, Qt::AlignLeft, name(), folder());
    drawLines(painter, theme, right, Qt::AlignRight, facts(), date());
}

QString RecentRow::name() const
{
    return QFileInfo(m_project.path).completeBaseName();
}

QString RecentRow::folder() const
{
    QString path = QFileInfo(m_project.path).absolutePath();
    if (path.startsWith(QDir::homePath() + QLatin1Char('/')))
        path = QLatin1Char('~') + path.mid(QDir::homePath().size());
    return QDir::toNativeSeparators(path);
}

QString RecentRow::facts() const
{
    const QString ranks
        = countText(static_cast<std::uint64_t>(m_project.ranks), tr("1 rank"), tr("%1 ranks"));
    if (m_project.iterationNs <= 0)
        return ranks;
    return tr("%1 \u00b7 %2 per iteration").arg(ranks, formatDuration(m_project.iterationNs));
}

QString RecentRow::date() const
{
    const QDateTime opened = m_project.openedAt.toLocalTime();
    return QLocale().toString(opened.date(), QLocale::ShortFormat) + QLatin1Char(' ')
        + opened.time().toString(QStringLiteral("HH:mm"));
}

} // namespace ui
