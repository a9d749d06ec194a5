#include "ui/views/clocks/offset_spin_box.h"

#include "core/import/text/decimal_time.h"
#include "core/project/project_limits.h"

#include <QLineEdit>

#include <algorithm>
#include <cstdlib>

namespace ui {

namespace {

    constexpr std::int64_t nsPerUs = 1000;

} // namespace

QString microsecondsText(std::int64_t ns)
{
    const auto magnitude = static_cast<std::uint64_t>(std::abs(ns));
    return (ns < 0 ? QStringLiteral("-") : QString()) + QString::number(magnitude / nsPerUs)
        + QStringLiteral(".%1").arg(magnitude % nsPerUs, 3, 10, QLatin1Char('0'));
}

OffsetSpinBox::OffsetSpinBox(QWidget *parent)
    : QAbstractSpinBox(parent)
{
    setAccelerated(true);
}

std::optional<std::int64_t> OffsetSpinBox::offsetNs() const
{
    QString typed = text().trimmed();
    typed.replace(QChar(0x2212), QLatin1Char('-')); // a true minus, as the table shows it
    const auto ns = core::nanosecondsFromMicroseconds(typed.toStdString());
    return ns && *ns >= -core::MaxDurationNs && *ns <= core::MaxDurationNs ? ns : std::nullopt;
}

void OffsetSpinBox::setOffsetNs(std::int64_t ns)
{
    lineEdit()->setText(microsecondsText(ns));
}

void OffsetSpinBox::stepBy(int steps)
{
    const std::int64_t ns = offsetNs().value_or(0) + steps * nsPerUs;
    setOffsetNs(std::clamp(ns, -core::MaxDurationNs, core::MaxDurationNs));
}

QValidator::State OffsetSpinBox::validate(QString &, int &) const
{
    return QValidator::Acceptable; // offsetNs() says what is a number; typing is free
}

} // namespace ui
