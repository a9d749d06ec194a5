#include "ui/theme/theme.h"

#include "core/model/category.h"
#include "ui/theme/resources.h"
#include "ui/theme/sort_arrow_style.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QStyleFactory>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

    QColor rgb(QRgb value)
    {
        return QColor::fromRgb(value);
    }

    Theme makeLight()
    {
        Theme t;
        t.background = rgb(0xFFFFFF);
        t.panel = rgb(0xF6F7F9);
        t.line = rgb(0xDADDE2);
        t.text = rgb(0x1B1F24);
        t.secondaryText = rgb(0x5B6470);
        t.accent = rgb(0x0B6BCB);
        t.accentText = rgb(0xFFFFFF);
        t.hover = rgb(0xECEFF3);
        t.better = rgb(0x1B7F79);
        t.worse = rgb(0xC2410C);
        t.warning = rgb(0xB7791F);
        t.criticalPath = rgb(0x111111);
        t.criticalPathCasing = rgb(0xFFFFFF);
        t.predictedGround = rgb(0xEEF4FB);
        t.idle = rgb(0xC9CED6);
        return t;
    }

    Theme makeDark()
    {
        Theme t;
        t.isDark = true;
        t.background = rgb(0x15171B);
        t.panel = rgb(0x1C1F25);
        t.line = rgb(0x333841);
        t.text = rgb(0xE6E8EB);
        t.secondaryText = rgb(0x9AA3AF);
        t.accent = rgb(0x5AA9F8);
        t.accentText = rgb(0x0E1116);
        t.hover = rgb(0x272B33);
        t.better = rgb(0x34B3AB);
        t.worse = rgb(0xF28C52);
        t.warning = rgb(0xE0A83B);
        t.criticalPath = rgb(0xFFFFFF);
        t.criticalPathCasing = rgb(0x000000);
        t.predictedGround = rgb(0x17212E);
        t.idle = rgb(0x454B56);
        return t;
    }

    double linearChannel(double channel)
    {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    }

    double luminance(const QColor &color)
    {
        return 0.2126 * linearChannel(color.redF()) + 0.7152 * linearChannel(color.greenF())
            + 0.0722 * linearChannel(color.blueF());
    }

    /// The palette that the platform gave before ours replaced it tells whether the system is dark.
    bool isSystemDark()
    {
        static const bool isDark = [] {
            const QPalette platform = QGuiApplication::palette();
            return platform.color(QPalette::WindowText).lightness()
                > platform.color(QPalette::Window).lightness();
        }();
        return isDark;
    }

    /// The platform's UI font, or, where it names none ("Sans Serif"), a font of one figure width.
    QString uiFamily()
    {
        static const QString family = [] {
            const QString platform = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
            const bool isGeneric = platform.isEmpty()
                || platform.startsWith(QLatin1String("Sans"), Qt::CaseInsensitive)
                || platform == QLatin1String("DejaVu Sans")
                || platform.startsWith(QLatin1String("Helvetica"));
            if (!isGeneric)
                return platform;
            const QStringList installed = QFontDatabase::families();
            for (const char *candidate : { "Noto Sans", "Cantarell", "DejaVu Sans" }) {
                if (installed.contains(QLatin1String(candidate)))
                    return QString::fromLatin1(candidate);
            }
            return platform;
        }();
        return family;
    }

    /// Frames of what can be pressed or typed into.
    QColor controlOf(const Theme &theme)
    {
        return blend(theme.background, theme.text, 0.22);
    }

    QString styleSheetOf(const Theme &theme)
    {
        loadResources();
        QFile file(QStringLiteral(":/theme/longpole.qss"));
        if (!file.open(QIODevice::ReadOnly))
            return {};
        QString text = QString::fromUtf8(file.readAll());
        const std::pair<const char *, QColor> names[] {
            { "@background", theme.background },
            { "@panel", theme.panel },
            { "@line", theme.line },
            { "@secondaryText", theme.secondaryText },
            { "@text", theme.text },
            { "@accentText", theme.accentText },
            { "@accentHover", blend(theme.accent, theme.text, 0.15) },
            { "@selection", blend(theme.background, theme.accent, 0.18) },
            { "@noticeGround", blend(theme.panel, theme.warning, 0.12) },
            { "@accent", theme.accent },
            { "@hover", theme.hover },
            { "@warning", theme.warning },
            { "@control", controlOf(theme) },
        };
        for (const auto &[name, color] : names)
            text.replace(QLatin1String(name), color.name());
        return text;
    }

} // namespace

QColor Theme::role(core::Role role) const
{
    const core::RoleColors colors = core::colorsOf(role);
    return rgb(isDark ? colors.dark : colors.light);
}

QColor Theme::onRole(core::Role wanted) const
{
    const QColor fill = role(wanted);
    const QColor dark = rgb(0x0E1116);
    const QColor light = rgb(0xFFFFFF);
    return contrastRatio(fill, light) >= 4.5
            || contrastRatio(fill, light) > contrastRatio(fill, dark)
        ? light
        : dark;
}

const Theme &lightTheme()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme &themeOf(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < 128 ? darkTheme() : lightTheme();
}

QPalette paletteOf(const Theme &t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.panel);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.background);
    p.setColor(QPalette::AlternateBase, t.panel);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.secondaryText);
    p.setColor(QPalette::Button, t.isDark ? t.hover : t.background);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.worse);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.accentText);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::ToolTipBase, t.isDark ? t.hover : t.background);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Light, t.background);
    p.setColor(QPalette::Midlight, t.hover);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.line);
    p.setColor(QPalette::Shadow, t.line);
    for (const QPalette::ColorRole role :
         { QPalette::WindowText, QPalette::Text, QPalette::ButtonText })
        p.setColor(QPalette::Disabled, role, blend(t.panel, t.secondaryText, 0.6));
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.line);
    return p;
}

std::optional<ThemeChoice> themeChoiceFromName(const QString &name)
{
    for (const ThemeChoice choice :
         { ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark }) {
        if (themeChoiceName(choice) == name)
            return choice;
    }
    return std::nullopt;
}

QString themeChoiceName(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::System:
        return QStringLiteral("system");
    case ThemeChoice::Light:
        return QStringLiteral("light");
    case ThemeChoice::Dark:
        return QStringLiteral("dark");
    }
    return {};
}

namespace {

    /// Fusion frames spin boxes with the window's colour made darker, which a dark theme swallows.
    QPalette spinBoxPaletteOf(const Theme &theme)
    {
        constexpr int FusionDarker = 140;
        QPalette palette = paletteOf(theme);
        palette.setColor(QPalette::Window, controlOf(theme).lighter(FusionDarker));
        return palette;
    }

} // namespace

void applyTheme(QApplication &application, ThemeChoice choice)
{
    const bool isPlatformDark = isSystemDark(); // asked before our palette replaces the platform's
    const bool isDark
        = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && isPlatformDark);
    const Theme &theme = isDark ? darkTheme() : lightTheme();
    application.setStyle(new SortArrowStyle(QStyleFactory::create(QStringLiteral("Fusion"))));
    application.setPalette(paletteOf(theme));
    application.setPalette(spinBoxPaletteOf(theme), "QAbstractSpinBox");
    application.setFont(uiFont(TextSize::Normal));
    QToolTip::setPalette(paletteOf(theme));
    application.setStyleSheet(styleSheetOf(theme));
}

QFont uiFont(TextSize size, QFont::Weight weight)
{
    QFont font(uiFamily());
    font.setPixelSize(static_cast<int>(size));
    font.setWeight(weight);
    return font;
}

double contrastRatio(const QColor &a, const QColor &b)
{
    const double one = luminance(a) + 0.05;
    const double two = luminance(b) + 0.05;
    return std::max(one, two) / std::min(one, two);
}

QColor blend(const QColor &ground, const QColor &over, double opacity)
{
    const auto mix = [opacity](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * opacity));
    };
    return { mix(ground.red(), over.red()), mix(ground.green(), over.green()),
             mix(ground.blue(), over.blue()) };
}

} // namespace ui
