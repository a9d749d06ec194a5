#include "ui/views/compare/link_paragraph.h"

#include "core/change/transfers/transfers.h"
#include "core/fit/links/link_bandwidth.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

    struct LinkParagraph
    {
        Q_DECLARE_TR_FUNCTIONS(LinkParagraph)
    };

    QString latencyText(const core::LinkModel &link)
    {
        return link.isAlphaKnown()
            ? LinkParagraph::tr("%1 latency").arg(formatDuration(std::llround(link.alphaNs)))
            : LinkParagraph::tr("latency not known, 0 is used");
    }

} // namespace

const core::LinkModel &mainLink(const std::vector<core::LinkModel> &links)
{
    const auto weight = [](const core::LinkModel &link) {
        return std::pair(!link.isWithinHost, link.allBytes());
    };
    return *std::max_element(links.begin(), links.end(), [&weight](const auto &a, const auto &b) {
        return weight(a) < weight(b);
    });
}

QString linkParagraph(const std::vector<core::LinkModel> &links)
{
    const core::LinkModel &link = mainLink(links);
    QString text = LinkParagraph::tr("Fitted link: %1, %2 (from %3, median error %4).")
                       .arg(formatRate(link.rateMbit()), latencyText(link),
                            countText(link.transfers, LinkParagraph::tr("1 transfer"),
                                      LinkParagraph::tr("%1 transfers")),
                            formatPercent(link.medianErrorFraction));
    if (!core::rateObstacle(link))
        text += QLatin1Char(' ')
            + (link.nominalMbit
                   ? LinkParagraph::tr("Its nominal rate, as the setting counts: %1 Mbit/s.")
                   : LinkParagraph::tr("With headers, as the setting counts: %1 Mbit/s."))
                  .arg(QString::number(link.bandwidthMbit, 'g', 7));
    if (const std::string kept = core::keptRateText(link, links); !kept.empty())
        text += QLatin1Char(' ') + unbrokenUnits(QString::fromStdString(kept)) + QLatin1Char('.');
    const auto isOther = [&link](const core::LinkModel &other) {
        return !other.isWithinHost && other.bandwidthMbit != link.bandwidthMbit;
    };
    if (std::any_of(links.begin(), links.end(), isOther))
        text += QLatin1Char(' ')
            + LinkParagraph::tr("Links differ: one bandwidth for all changes some of them.");
    // Units stay in one line.
    return text.replace(QStringLiteral("/s"), QStringLiteral("\u2060/\u2060s"));
}

} // namespace ui
