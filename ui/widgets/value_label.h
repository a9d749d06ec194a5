#pragma once

#include <QLabel>

namespace ui {

/// A text to mark and copy. What it has only to wrap at (see breakable()) does not get into the
/// clipboard: a copied name can be searched for.
class ValueLabel : public QLabel
{
    Q_OBJECT

public:
    ValueLabel(const QString &text, QWidget *parent);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void copy() const;
};

} // namespace ui
