#include "ui/views/graph/block_details.h"

#include "ui/graph/block_words.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"

#include <algorithm>

namespace ui {

namespace {

    constexpr std::size_t MostListed = 32;

    QString heading(const QString &text)
    {
        return QStringLiteral("<p><b>%1</b></p>").arg(text.toHtmlEscaped());
    }

    QString laneText(const core::Drawing &drawing, const core::DrawnBlock &block)
    {
        for (const core::DrawnLane &lane : drawing.lanes)
            if (lane.lane == block.lane)
                return QString::fromStdString(lane.group + ", " + lane.name);
        return {};
    }

    QString provenanceText(core::Provenance provenance)
    {
        switch (provenance) {
        case core::Provenance::Inferred:
            return BlockDetails::tr("inferred");
        case core::Provenance::Derived:
            return BlockDetails::tr("derived");
        case core::Provenance::Recorded:
            break;
        }
        return BlockDetails::tr("recorded");
    }

    QString linkText(const core::Drawing &drawing, const core::DrawnLink &link, std::uint32_t other)
    {
        const core::DrawnBlock &block = drawing.blocks[other];
        QString text
            = QStringLiteral("<li><a href='block:%1'>%2</a><br>%3, %4")
                  .arg(other)
                  .arg(blockTitle(block).toHtmlEscaped(), laneText(drawing, block).toHtmlEscaped(),
                       provenanceText(link.provenance));
        if (link.count > 1)
            text += BlockDetails::tr(", %1 edges").arg(link.count);
        if (link.isOnPath)
            text += BlockDetails::tr(", on the critical path");
        return text + QStringLiteral("</li>");
    }

    /// Links that end at the block, or those that begin there; and those that are not listed.
    QString linksText(const core::Drawing &drawing, std::uint32_t block, bool isIncoming,
                      const QString &title)
    {
        QString list;
        std::size_t count = 0;
        for (const core::DrawnLink &link : drawing.links) {
            if ((isIncoming ? link.to : link.from) != block)
                continue;
            if (++count <= MostListed)
                list += linkText(drawing, link, isIncoming ? link.from : link.to);
        }
        if (count == 0)
            return {};
        if (count > MostListed)
            list += QStringLiteral("<li>%1</li>")
                        .arg(BlockDetails::tr("and %1 more").arg(count - MostListed));
        return heading(title) + QStringLiteral("<ul style='margin-left:-24px'>%1</ul>").arg(list);
    }

} // namespace

BlockDetails::BlockDetails(QWidget *parent)
    : QTextBrowser(parent)
{
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(space::medium);
    setAccessibleName(tr("Details of the selected block"));
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl &url) {
        if (url.scheme() == QLatin1String("block"))
            emit blockChosen(url.path().toUInt());
        else if (url.scheme() == QLatin1String("timeline"))
            emit timelineRequested();
    });
    showNothing();
}

void BlockDetails::showNothing()
{
    setHtml(QStringLiteral("<p>%1</p>")
                .arg(tr("Click a block for what it waits for. Double-click opens it.")));
}

void BlockDetails::showBlock(const core::Drawing &drawing, std::uint32_t block)
{
    const core::DrawnBlock &shown = drawing.blocks[block];
    QString html = heading(blockTitle(shown));
    html += QStringLiteral("<p>%1</p>").arg(laneText(drawing, shown).toHtmlEscaped());
    QStringList facts = blockFacts(shown);
    if (drawing.arrangement == core::Arrangement::ByTime)
        facts.prepend(
            tr("Begins at %1").arg(formatDuration(static_cast<std::int64_t>(shown.left))));
    html += QStringLiteral("<p>%1</p>")
                .arg(facts.join(u'\n').toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
    html += QStringLiteral("<p><a href='timeline:'>%1</a></p>").arg(tr("Show in the timeline"));
    html += linksText(drawing, block, true, tr("Waits for"));
    html += linksText(drawing, block, false, tr("Awaited by"));
    setHtml(html);
}

} // namespace ui
