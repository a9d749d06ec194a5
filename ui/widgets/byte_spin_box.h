#pragma once

#include <QDoubleSpinBox>

namespace ui {

/// A number of whole bytes, in the largest of KiB, MiB and GiB that tells it exactly ("64 KiB"),
/// else in bytes ("200,000 B"). Any of them may be typed; a number alone is bytes.
class ByteSpinBox : public QDoubleSpinBox
{
    Q_OBJECT

public:
    explicit ByteSpinBox(QWidget *parent = nullptr);

protected:
    QString textFromValue(double bytes) const override;
    double valueFromText(const QString &text) const override;
    QValidator::State validate(QString &text, int &position) const override;
};

} // namespace ui
