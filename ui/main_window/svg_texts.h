#pragma once

#include <QByteArray>
#include <QColor>
#include <QString>
#include <QTransform>

#include <vector>

class QPainter;

namespace ui {

/// One line of text in an SVG picture.
struct SvgTextLine
{
    QTransform place; ///< of its group, to the picture
    QPointF at; ///< begin of the baseline, in its group
    QString text;
    QStringList families;
    double size = 11; ///< pixels of its group
    bool isBold = false;
    double anchor = 0; ///< part of its width that lies before `at`: 0, 0.5 or 1
    QColor fill;
};

/// A picture whose texts are kept apart, to be drawn as texts where a renderer of SVG would draw
/// outlines.
struct SvgWithTexts
{
    QByteArray rest; ///< SVG without these texts
    std::vector<SvgTextLine> texts; ///< in their order
};

/// Takes out what is plain text, as Longpole's own pictures have it; others stay in the rest.
SvgWithTexts withTextsApart(const QByteArray &svg);

/// In pixels of the picture.
void drawSvgTexts(QPainter &painter, const std::vector<SvgTextLine> &texts);

} // namespace ui
