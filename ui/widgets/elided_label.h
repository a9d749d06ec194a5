#pragma once

#include "ui/widgets/text_label.h"

namespace ui {

/// One line of plain text that ends in an ellipsis where it is wider than the label, and is then
/// whole in the tooltip. Takes the width that it is given.
class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    ElidedLabel(TextRole role, QWidget *parent);

    void setFullText(const QString &text);
    QString fullText() const { return m_text; }
    /// What the text means: in the tooltip, whether the text is cut or not.
    void setExplanation(const QString &explanation);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void elide();

    QString m_text, m_explanation;
};

} // namespace ui
