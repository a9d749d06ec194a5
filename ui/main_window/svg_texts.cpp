#include "ui/main_window/svg_texts.h"

#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QRegularExpression>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

#include <optional>

namespace ui {

namespace {

    /// What an element hands on to those in it.
    struct Inherited
    {
        QTransform place;
        double size = 11;
        QStringList families;
        bool isPlain = true; ///< its place is understood
    };

    /// "translate(48 86.9) scale(0.6345)"; empty for what is not of these.
    std::optional<QTransform> transformOf(const QString &text)
    {
        static const QRegularExpression step(
            QStringLiteral("\\s*(translate|scale)\\(([-\\d.]+)(?:[ ,]+([-\\d.]+))?\\)\\s*"));
        QTransform transform;
        qsizetype at = 0;
        while (at < text.size()) {
            const auto match = step.match(text, at, QRegularExpression::NormalMatch,
                                          QRegularExpression::AnchorAtOffsetMatchOption);
            if (!match.hasMatch())
                return std::nullopt;
            const double x = match.captured(2).toDouble();
            const bool hasY = match.hasCaptured(3);
            const double y = match.captured(3).toDouble();
            if (match.captured(1) == QLatin1String("translate"))
                transform.translate(x, hasY ? y : 0);
            else
                transform.scale(x, hasY ? y : x);
            at = match.capturedEnd();
        }
        return transform;
    }

    Inherited within(const Inherited &outer, const QXmlStreamAttributes &attributes)
    {
        Inherited inner = outer;
        if (attributes.hasAttribute(QLatin1String("font-size")))
            inner.size = attributes.value(QLatin1String("font-size")).toDouble();
        if (attributes.hasAttribute(QLatin1String("font-family"))) {
            inner.families.clear();
            const QStringList names
                = attributes.value(QLatin1String("font-family")).toString().split(QLatin1Char(','));
            for (const QString &name : names)
                inner.families << name.trimmed();
        }
        if (attributes.hasAttribute(QLatin1String("transform"))) {
            const auto own = transformOf(attributes.value(QLatin1String("transform")).toString());
            inner.isPlain = inner.isPlain && own.has_value();
            inner.place = own.value_or(QTransform()) * outer.place;
        }
        return inner;
    }

    double anchorOf(const QXmlStreamAttributes &attributes)
    {
        const QStringView word = attributes.value(QLatin1String("text-anchor"));
        return word == QLatin1String("end") ? 1 : word == QLatin1String("middle") ? 0.5 : 0;
    }

    /// The line that an element is, but for its text.
    SvgTextLine lineOf(const Inherited &own, const QXmlStreamAttributes &attributes)
    {
        SvgTextLine line;
        line.place = own.place;
        line.at = { attributes.value(QLatin1String("x")).toDouble(),
                    attributes.value(QLatin1String("y")).toDouble() };
        line.families = own.families;
        line.size = own.size;
        line.isBold = attributes.value(QLatin1String("font-weight")).toInt() >= QFont::DemiBold
            || attributes.value(QLatin1String("font-weight")) == QLatin1String("bold");
        line.anchor = anchorOf(attributes);
        line.fill = QColor(attributes.value(QLatin1String("fill")).toString());
        return line;
    }

} // namespace

SvgWithTexts withTextsApart(const QByteArray &svg)
{
    SvgWithTexts parts;
    QXmlStreamReader in(svg);
    QXmlStreamWriter out(&parts.rest);
    std::vector<Inherited> outer { {} };
    while (!in.atEnd()) {
        in.readNext();
        if (in.isStartElement()) {
            const Inherited own = within(outer.back(), in.attributes());
            if (in.name() == QLatin1String("text") && own.isPlain) {
                SvgTextLine line = lineOf(own, in.attributes());
                line.text = in.readElementText(QXmlStreamReader::IncludeChildElements);
                parts.texts.push_back(line);
                continue;
            }
            outer.push_back(own);
        } else if (in.isEndElement()) {
            outer.pop_back();
        }
        if (in.tokenType() != QXmlStreamReader::Invalid)
            out.writeCurrentToken(in);
    }
    if (in.hasError())
        return { svg, {} };
    return parts;
}

void drawSvgTexts(QPainter &painter, const std::vector<SvgTextLine> &texts)
{
    constexpr int Measured = 100; ///< pixels of the font, so that fractions of one are no matter
    for (const SvgTextLine &line : texts) {
        QFont font;
        font.setFamilies(line.families);
        font.setPixelSize(Measured);
        font.setWeight(line.isBold ? QFont::DemiBold : QFont::Normal);
        painter.save();
        painter.setTransform(line.place, true);
        painter.translate(line.at);
        painter.scale(line.size / Measured, line.size / Measured);
        painter.setFont(font);
        painter.setPen(line.fill.isValid() ? line.fill : QColor(Qt::black));
        const double width = painter.fontMetrics().horizontalAdvance(line.text);
        painter.drawText(QPointF(-line.anchor * width, 0), line.text);
        painter.restore();
    }
}

} // namespace ui
