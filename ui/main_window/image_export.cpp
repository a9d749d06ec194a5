#include "ui/main_window/image_export.h"

#include "core/base/error.h"
#include "ui/theme/theme.h"
#include "ui/widgets/pictured_page.h"

#include <QPainter>
#include <QWidget>

#include <memory>

namespace ui {

namespace {
    constexpr int captionHeight = 24;

    QString captionLine(const ImageCaption &caption, const QString &time)
    {
        QStringList parts { caption.project, caption.facts, time, caption.trust };
        parts.removeAll(QString());
        return parts.join(QStringLiteral(" \u00b7 "));
    }

    /// "rank 0, rank 3", or how many of them.
    QString groupsText(const std::vector<QString> &groups)
    {
        constexpr std::size_t MostNamed = 6;
        if (groups.size() > MostNamed)
            return ImageExport::tr("%1 ranks shown").arg(groups.size());
        QStringList names;
        for (const QString &group : groups)
            names << group;
        return names.join(QStringLiteral(", "));
    }

    /// A page to scroll as a whole; any other view as it is seen.
    Picture pictureOfWidget(QWidget &view, const QString &caption)
    {
        auto *paged = dynamic_cast<PicturedPage *>(&view);
        QWidget *page = paged == nullptr ? nullptr : paged->picturedPage();
        QWidget &shown = page == nullptr ? view : *page;
        const int extra = caption.isEmpty() ? 0 : captionHeight;
        const QRect place(QPoint(), shown.size());
        const QSize size(place.width(), place.height() + extra);
        return { size, [&shown, place, size, extra, caption](QPainter &painter, double, bool) {
                    const Theme &theme = themeOf(shown.palette());
                    painter.fillRect(QRect(QPoint(), size), theme.background);
                    shown.render(&painter);
                    // SVG and PDF clip no widgets: what reaches beyond is covered. A clip of this
                    // painter would take the parts of a PDF before a chart away.
                    painter.fillRect(0, place.height(), size.width(), extra, theme.background);
                    painter.setFont(uiFont(TextSize::Small));
                    painter.setPen(theme.secondaryText);
                    painter.drawText(
                        QRect(space::large, place.height(), size.width() - 2 * space::large, extra),
                        Qt::AlignLeft | Qt::AlignVCenter, caption);
                } };
    }

} // namespace

std::vector<PicturedTimeline> timelinesOf(QWidget &view)
{
    const auto *pictured = dynamic_cast<const PicturedTimelines *>(&view);
    return pictured == nullptr ? std::vector<PicturedTimeline>() : pictured->picturedTimelines();
}

Picture pictureOf(QWidget &view, ImageWish wish, const ImageCaption &caption)
{
    const std::vector<PicturedTimeline> timelines = timelinesOf(view);
    if (timelines.empty())
        return pictureOfWidget(view, captionLine(caption, {}));
    const TimelineState &first = *timelines.front().state;
    core::TimeRange time = first.visible();
    time = wish.choice.time.value_or(
        core::TimeRange { time.startNs - first.originNs(), time.endNs - first.originNs() });
    QString shown = timeSpanText(time);
    if (!wish.choice.groups.empty())
        shown = groupsText(wish.choice.groups) + QStringLiteral(" \u00b7 ") + shown;
    wish.choice.caption = captionLine(caption, shown);
    const auto picture = std::make_shared<TimelinePicture>(timelines, wish.choice);
    return { picture->size(), [picture](QPainter &painter, double detail, bool isVector) {
                picture->paint(painter, detail, isVector);
            } };
}

ImageExport::ImageExport(QObject *parent)
    : QObject(parent)
{
}

void ImageExport::write(const Picture &picture, double scale, const QString &file)
{
    if (const QString why = whyTooLarge(picture.size, scale, file); !why.isEmpty())
        return emit failed(why);
    try {
        if (isVectorFile(file)) {
            writeVectors(picture, file);
            return emit written(file);
        }
        m_job.start(
            [image = drawnImage(picture, scale), file](const core::JobControl &) {
                writePng(image, file);
                return file;
            },
            [this](const QString &done) { emit written(done); },
            [this](const QString &message) { emit failed(message); });
    } catch (const core::Error &error) {
        emit failed(QString::fromUtf8(error.what()));
    }
}

} // namespace ui
