#include "ui/widgets/text_label.h"

#include <QPushButton>

namespace ui {

void setTextRole(QLabel &label, TextRole role)
{
    static const char *const names[] { "", "secondary", "small", "large", "title" };
    label.setTextFormat(Qt::PlainText);
    label.setProperty("textRole", QLatin1String(names[static_cast<int>(role)]));
}

QLabel *createLabel(const QString &text, TextRole role, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    setTextRole(*label, role);
    return label;
}

QPushButton *createLink(const QString &text, QWidget *parent)
{
    auto *button
        = new QPushButton(QString(text).replace(QLatin1Char('&'), QLatin1String("&&")), parent);
    button->setProperty("link", true);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QPushButton *createPrimaryButton(const QString &text, QWidget *parent)
{
    auto *button = new QPushButton(text, parent);
    button->setProperty("primary", true);
    return button;
}

} // namespace ui
