#include "ui/widgets/format.h"

#include "core/base/duration_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {

namespace {

    struct FormatText
    {
        Q_DECLARE_TR_FUNCTIONS(ui::FormatText)
    };

    constexpr char16_t thinSpace = u'\u202f'; // narrow, and no line ends at it
    constexpr char16_t minusSign = u'\u2212';
    constexpr QChar zeroWidthSpace(u'\u200b');

    struct Unit
    {
        double factor;
        const char *name;
    };

    constexpr std::array byteUnits { Unit { 1, "B" }, Unit { 1024.0, "KiB" },
                                     Unit { 1024.0 * 1024, "MiB" },
                                     Unit { 1024.0 * 1024 * 1024, "GiB" },
                                     Unit { 1024.0 * 1024 * 1024 * 1024, "TiB" } };

    constexpr std::array rateUnits { Unit { 1e3, "kB/s" }, Unit { 1e6, "MB/s" },
                                     Unit { 1e9, "GB/s" } };

    /// The largest unit in which the value, rounded to 4 digits, is at least 1.
    template <std::size_t N>
    const Unit &unitFor(double value, const std::array<Unit, N> &units, double step)
    {
        std::size_t i = 0;
        while (i + 1 < N && std::abs(value) / units[i].factor >= step - step * 5e-5)
            ++i;
        return units[i];
    }

    QString withUnit(const QString &number, const char *unit)
    {
        return number + QChar(thinSpace) + QString::fromUtf8(unit);
    }

    QString inUnit(double value, const Unit &unit)
    {
        if (unit.factor == 1)
            return withUnit(QString::number(std::llround(value)), unit.name);
        return withUnit(formatSignificant(value / unit.factor), unit.name);
    }

    /// A duration of core, which is plain ASCII.
    QString typographic(const std::string &duration)
    {
        static const QRegularExpression space(QStringLiteral("(\\d) "));
        QString text = QString::fromStdString(duration);
        text.replace(QLatin1Char('-'), QChar(minusSign));
        text.replace(QLatin1String("us"), QStringLiteral("\u00b5s"));
        return text.replace(space, QStringLiteral("\\1") + QChar(thinSpace));
    }

    QString withSign(bool isNegative, const QString &magnitude)
    {
        return QChar(isNegative ? minusSign : u'+') + magnitude;
    }

} // namespace

QString formatSignificant(double value, int digits)
{
    if (value == 0 || !std::isfinite(value))
        return value == 0 ? QStringLiteral("0") : QString(QChar(u'\u2013'));
    const double magnitude = std::abs(value);
    int whole = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
    int decimals = std::clamp(digits - whole, 0, 9);
    // 9.9996 rounds to 10.000: one decimal less keeps the number of digits.
    if (std::round(magnitude * std::pow(10, decimals)) >= std::pow(10, whole + decimals))
        decimals = std::max(0, decimals - 1);
    const QString number = QString::number(magnitude, 'f', decimals);
    return value < 0 ? QChar(minusSign) + number : number;
}

QString formatDuration(std::int64_t ns, int digits)
{
    return typographic(core::durationText(ns, digits));
}

QString formatOffset(std::int64_t ns, std::int64_t uncertaintyNs)
{
    return typographic(core::offsetText(ns, uncertaintyNs));
}

QString formatDrift(double ppm)
{
    const QString size = withUnit(QString::number(std::abs(ppm), 'f', 1), "ppm");
    return std::abs(ppm) < 0.05 ? size : withSign(ppm < 0, size);
}

QString formatDriftSize(double ppm)
{
    return withUnit(QString::number(std::abs(ppm), 'f', 0), "ppm");
}

QString formatDelta(std::int64_t ns)
{
    return ns == 0 ? formatDuration(0) : withSign(ns < 0, formatDuration(std::abs(ns)));
}

QString formatPercent(double fraction)
{
    const double percent = fraction * 100;
    const double magnitude = std::abs(percent);
    QString number;
    if (magnitude > 0 && magnitude < 0.05)
        number = QStringLiteral("<0.1");
    else
        number = QString::number(magnitude, 'f', magnitude < 9.95 && magnitude > 0 ? 1 : 0);
    return withUnit(percent <= -0.05 ? QChar(minusSign) + number : number, "%");
}

QString formatSignedPercent(double fraction)
{
    const bool hasDigits = std::abs(fraction) * 100 >= 0.05; // "<0.1 %" goes without a sign
    return !hasDigits ? formatPercent(fraction)
                      : withSign(fraction < 0, formatPercent(std::abs(fraction)));
}

QString formatReplayError(double errorFraction)
{
    constexpr double leastShown = 1e-4;
    return formatPercent(std::max(std::abs(errorFraction), leastShown));
}

QString formatBytes(std::uint64_t bytes)
{
    const auto value = static_cast<double>(bytes);
    return inUnit(value, unitFor(value, byteUnits, 1024));
}

QString formatRate(double mbitPerSec)
{
    constexpr double BytesOfMbit = 125'000;
    const double bytesPerSec = mbitPerSec * BytesOfMbit;
    return inUnit(bytesPerSec, unitFor(bytesPerSec, rateUnits, 1000));
}

QString formatCount(std::uint64_t count)
{
    QString digits = QString::number(count);
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3)
        digits.insert(at, QChar(thinSpace));
    return digits;
}

QString markedText(std::uint64_t added, std::uint64_t known)
{
    if (known == 0)
        return FormatText::tr("%1 marked").arg(formatCount(added));
    return (known == 1 ? FormatText::tr("%1 marked, %2 was already")
                       : FormatText::tr("%1 marked, %2 were already"))
        .arg(formatCount(added), formatCount(known));
}

QString countText(std::uint64_t count, const QString &one, const QString &many)
{
    const QString &form = count == 1 ? one : many;
    return form.contains(QLatin1String("%1")) ? form.arg(formatCount(count)) : form;
}

QString toolTipParagraphs(const QString &text)
{
    if (text.isEmpty())
        return {};
    return QStringLiteral("<p>")
        + text.toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("</p><p>"))
        + QStringLiteral("</p>");
}

QString breakable(const QString &text)
{
    static const QRegularExpression longWord(QStringLiteral("\\S{25,}"));
    static const QRegularExpression mark(QStringLiteral("([.=/,(-]|\\w_)(?=\\w)"));
    QString result;
    qsizetype end = 0;
    for (auto found = longWord.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        result += QStringView(text).mid(end, match.capturedStart() - end);
        result += match.captured().replace(mark, QStringLiteral("\\1") + zeroWidthSpace);
        end = match.capturedEnd();
    }
    result += QStringView(text).mid(end);
    return result;
}

QString unbroken(QString text)
{
    return text.remove(zeroWidthSpace);
}

QString unbrokenUnits(QString sentence)
{
    static const QRegularExpression microseconds(QStringLiteral("(\\d) us\\b"));
    static const QRegularExpression plusMinus(QStringLiteral("\\+-(?=\\d)"));
    static const QRegularExpression numberAndUnit(
        QStringLiteral("(\\d) (?=(ns|\u00b5s|ms|s|min|%|B|[KMGT]iB|[KMG]bit/s)(\\W|$))"));
    static const QRegularExpression negativeNumber(
        QStringLiteral("(^|[\\s(])-(?=\\d[\\d.]*\u00a0)"));
    sentence.replace(plusMinus, QStringLiteral("\u00b1"));
    sentence.replace(microseconds, QStringLiteral("\\1 \u00b5s"));
    sentence.replace(numberAndUnit, QStringLiteral("\\1\u00a0"));
    sentence.replace(negativeNumber, QStringLiteral("\\1") + QChar(minusSign));
    return sentence;
}

} // namespace ui
