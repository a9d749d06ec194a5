#include "ui/widgets/byte_spin_box.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ui {

namespace {

    struct ByteUnit
    {
        const char *name;
        double bytes;
    };

    constexpr std::array ByteUnits { ByteUnit { "GiB", 1024.0 * 1024 * 1024 },
                                     ByteUnit { "MiB", 1024.0 * 1024 }, ByteUnit { "KiB", 1024.0 },
                                     ByteUnit { "B", 1 } };

    const QRegularExpression &numberAndUnit()
    {
        static const QRegularExpression pattern(
            QStringLiteral("^\\s*([0-9.,]*)\\s*([a-zA-Z]*)\\s*$"));
        return pattern;
    }

    /// Of "KiB", "kib" and, as what else could it be, "K".
    std::optional<double> unitBytes(const QString &name)
    {
        if (name.isEmpty())
            return 1;
        for (const ByteUnit &unit : ByteUnits) {
            const QString whole = QString::fromLatin1(unit.name);
            if (whole.compare(name, Qt::CaseInsensitive) == 0
                || (name.size() == 1 && whole.startsWith(name, Qt::CaseInsensitive)))
                return unit.bytes;
        }
        return std::nullopt;
    }

    bool mayBecomeUnit(const QString &name)
    {
        return std::any_of(ByteUnits.begin(), ByteUnits.end(), [&name](const ByteUnit &unit) {
            return QString::fromLatin1(unit.name).startsWith(name, Qt::CaseInsensitive);
        });
    }

    /// Absent where the text is none.
    std::optional<double> bytesFrom(const QString &text, const QLocale &locale)
    {
        const QRegularExpressionMatch match = numberAndUnit().match(text);
        const std::optional<double> unit
            = match.hasMatch() ? unitBytes(match.captured(2)) : std::nullopt;
        bool isNumber = false;
        const double number = locale.toDouble(match.captured(1), &isNumber);
        if (!unit || !isNumber)
            return std::nullopt;
        return std::round(number * *unit);
    }

} // namespace

ByteSpinBox::ByteSpinBox(QWidget *parent)
    : QDoubleSpinBox(parent)
{
    setDecimals(0);
    setKeyboardTracking(false); // "500000" is not 5, 50, ...
}

QString ByteSpinBox::textFromValue(double bytes) const
{
    for (const ByteUnit &unit : ByteUnits)
        if (const double count = bytes / unit.bytes; count >= 1 && std::floor(count) == count)
            return locale().toString(count, 'f', 0) + QLatin1Char(' ')
                + QString::fromLatin1(unit.name);
    return locale().toString(bytes, 'f', 0) + QStringLiteral(" B");
}

double ByteSpinBox::valueFromText(const QString &text) const
{
    if (!specialValueText().isEmpty() && text == specialValueText())
        return minimum();
    return bytesFrom(text, locale()).value_or(value());
}

QValidator::State ByteSpinBox::validate(QString &text, int &) const
{
    if (!specialValueText().isEmpty() && text == specialValueText())
        return QValidator::Acceptable;
    const QRegularExpressionMatch match = numberAndUnit().match(text);
    if (!match.hasMatch() || !mayBecomeUnit(match.captured(2)))
        return QValidator::Invalid;
    const std::optional<double> bytes = bytesFrom(text, locale());
    if (!bytes)
        return QValidator::Intermediate;
    return *bytes >= minimum() && *bytes <= maximum() ? QValidator::Acceptable
                                                      : QValidator::Intermediate;
}

} // namespace ui
