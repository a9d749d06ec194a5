#pragma once

#include <QAbstractSpinBox>

#include <cstdint>
#include <optional>

namespace ui {

/// Nanoseconds as microseconds with three decimals: "-3757.000". Exact up to years, where a
/// QDoubleSpinBox is not. Steps are microseconds.
class OffsetSpinBox : public QAbstractSpinBox
{
    Q_OBJECT

public:
    explicit OffsetSpinBox(QWidget *parent);

    /// Empty while the text is no number of microseconds.
    std::optional<std::int64_t> offsetNs() const;
    void setOffsetNs(std::int64_t ns);

    void stepBy(int steps) override;
    QValidator::State validate(QString &text, int &position) const override;

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
};

QString microsecondsText(std::int64_t ns);

} // namespace ui
