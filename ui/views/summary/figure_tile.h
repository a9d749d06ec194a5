#pragma once

#include <QColor>
#include <QFrame>

class QLabel;

namespace ui {

/// One figure of the summary: what it is, its value in large type, what it is a share of.
class FigureTile : public QFrame
{
    Q_OBJECT

public:
    explicit FigureTile(QWidget *parent);
    /// `mark` is the colour that the charts give the same thing; an invalid colour: no mark.
    void setFigure(const QString &name, const QString &value, const QString &detail,
                   const QColor &mark);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_name = nullptr;
    QLabel *m_value = nullptr;
    QLabel *m_detail = nullptr;
    QColor m_mark;
};

} // namespace ui
