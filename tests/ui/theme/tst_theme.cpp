#include "core/model/category.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardItemModel>
#include <QStyleOptionHeaderV2>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace ui;

namespace {

/// Where the style places the parts of a sorted column's header.
class SortedHeader : public QHeaderView
{
public:
    SortedHeader()
        : QHeaderView(Qt::Horizontal)
        , m_model(1, 1)
    {
        setModel(&m_model);
        setSortIndicatorShown(true);
        setSortIndicator(0, Qt::DescendingOrder);
    }

    QRect partOf(const QRect &section, QStyle::SubElement part) const
    {
        QStyleOptionHeaderV2 option;
        QHeaderView::initStyleOption(&option);
        initStyleOptionForIndex(&option, 0);
        option.rect = section;
        return style()->subElementRect(part, &option, this);
    }

private:
    QStandardItemModel m_model;
};

/// Of linear channels.
double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

struct Lab
{
    double lightness = 0, a = 0, b = 0;

    double distance(const Lab &other) const
    {
        return std::hypot(lightness - other.lightness, a - other.a, b - other.b);
    }
};

/// CIE 1976 L*a*b* of linear sRGB, white D65.
Lab labOf(double r, double g, double b)
{
    const auto root
        = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = root((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    const double y = root(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    const double z = root((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
    return { 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

/// As seen with deuteranopia: Machado, Oliveira and Fernandes 2009, table 1, severity 1.0.
Lab deuteranopeLab(const QColor &color)
{
    const double r = linear(color.redF());
    const double g = linear(color.greenF());
    const double b = linear(color.blueF());
    return labOf(0.367322 * r + 0.860646 * g - 0.227968 * b,
                 0.280085 * r + 0.672501 * g + 0.047413 * b,
                 -0.011820 * r + 0.042940 * g + 0.968881 * b);
}

double lightnessOf(const QColor &color)
{
    return labOf(linear(color.redF()), linear(color.greenF()), linear(color.blueF())).lightness;
}

QAbstractButton *createButton(const QString &kind, QWidget &parent)
{
    QAbstractButton *button = nullptr;
    if (kind == QLatin1String("tool button"))
        button = new QToolButton(&parent);
    else
        button = new QPushButton(&parent);
    if (!kind.isEmpty())
        button->setProperty(kind.toLatin1().constData(), true);
    button->setText(QStringLiteral("Button"));
    button->resize(100, 32);
    return button;
}

} // namespace

class TestTheme : public QObject
{
    Q_OBJECT

private slots:
    void textIsReadable_data();
    void textIsReadable();
    void marksStandOutFromTheirGround_data();
    void marksStandOutFromTheirGround();
    void rolesDifferWithoutHue_data();
    void rolesDifferWithoutHue();
    void aPaletteTellsItsTheme();
    void applyingAThemeFillsEveryColourOfTheStyleSheet();
    void theSortArrowStandsBesideTheText();
    void focusIsSeen_data();
    void focusIsSeen();
    void iconsFollowTheTextColour();
    void choicesHaveNames();

private:
    static void addThemes();
    static const Theme &fetchTheme();
};

void TestTheme::addThemes()
{
    QTest::addColumn<bool>("isDark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

const Theme &TestTheme::fetchTheme()
{
    const bool isDark = *static_cast<bool *>(QTest::qData("isDark", qMetaTypeId<bool>()));
    return isDark ? darkTheme() : lightTheme();
}

void TestTheme::textIsReadable_data()
{
    addThemes();
}

void TestTheme::textIsReadable()
{
    const Theme &theme = fetchTheme();
    for (const QColor &ground : { theme.background, theme.panel }) {
        QVERIFY(contrastRatio(theme.text, ground) >= 4.5);
        QVERIFY(contrastRatio(theme.secondaryText, ground) >= 4.5);
        QVERIFY(contrastRatio(theme.accent, ground) >= 4.5);
    }
    QVERIFY(contrastRatio(theme.accentText, theme.accent) >= 4.5);
}

void TestTheme::marksStandOutFromTheirGround_data()
{
    addThemes();
}

void TestTheme::marksStandOutFromTheirGround()
{
    const Theme &theme = fetchTheme();
    using core::Role;
    for (const Role role : { Role::Forward, Role::Backward, Role::Optimizer, Role::Memory,
                             Role::Host, Role::Input, Role::Unknown })
        QVERIFY2(contrastRatio(theme.role(role), theme.background) >= 2.8,
                 qPrintable(QString::number(static_cast<int>(role))));
    QVERIFY(contrastRatio(theme.better, theme.background) >= 3);
    QVERIFY(contrastRatio(theme.worse, theme.background) >= 3);
}

void TestTheme::rolesDifferWithoutHue_data()
{
    addThemes();
}

/// In grey print, and for readers with deuteranopia.
void TestTheme::rolesDifferWithoutHue()
{
    const Theme &theme = fetchTheme();
    for (const core::RoleColors &one : core::AllRoleColors)
        for (const core::RoleColors &other : core::AllRoleColors) {
            if (one.role >= other.role)
                continue;
            const QColor a = theme.role(one.role);
            const QColor b = theme.role(other.role);
            const double grey = std::abs(lightnessOf(a) - lightnessOf(b));
            const double seen = deuteranopeLab(a).distance(deuteranopeLab(b));
            QVERIFY2(grey >= 5 && seen >= 6,
                     qPrintable(QStringLiteral("%1 and %2: grey %3, deuteranopia %4")
                                    .arg(a.name(), b.name())
                                    .arg(grey)
                                    .arg(seen)));
        }
}

void TestTheme::aPaletteTellsItsTheme()
{
    QVERIFY(themeOf(paletteOf(darkTheme())).isDark);
    QVERIFY(!themeOf(paletteOf(lightTheme())).isDark);
}

void TestTheme::applyingAThemeFillsEveryColourOfTheStyleSheet()
{
    applyTheme(*qApp, ThemeChoice::Dark);
    QVERIFY(!qApp->styleSheet().isEmpty());
    QVERIFY2(!qApp->styleSheet().contains(QRegularExpression(QStringLiteral("@(?!\\.\\.\\.)"))),
             qPrintable(qApp->styleSheet()));
    QVERIFY(themeOf(qApp->palette()).isDark);
    applyTheme(*qApp, ThemeChoice::Light);
    QVERIFY(!themeOf(qApp->palette()).isDark);
}

void TestTheme::theSortArrowStandsBesideTheText()
{
    applyTheme(*qApp, ThemeChoice::Light);
    const SortedHeader header;
    const QRect section(0, 0, 100, comfortableRowHeight);
    const QRect label = header.partOf(section, QStyle::SE_HeaderLabel);
    const QRect arrow = header.partOf(section, QStyle::SE_HeaderArrow);
    QVERIFY(std::abs(arrow.center().y() - label.center().y()) <= 2);
    QVERIFY2(arrow.left() >= label.right(),
             qPrintable(
                 QStringLiteral("text to %1, arrow from %2").arg(label.right()).arg(arrow.left())));
    QVERIFY(arrow.right() <= section.right());
}

void TestTheme::focusIsSeen_data()
{
    QTest::addColumn<bool>("isDark");
    QTest::addColumn<QString>("property");
    for (const bool isDark : { false, true })
        for (const char *property : { "", "primary", "link", "status", "tool button" })
            QTest::addRow("%s %s", isDark ? "dark" : "light", property)
                << isDark << QString::fromLatin1(property);
}

/// Who walks through the window by Tab sees where they are: some of what focus adds stands out.
void TestTheme::focusIsSeen()
{
    QFETCH(bool, isDark);
    QFETCH(QString, property);
    applyTheme(*qApp, isDark ? ThemeChoice::Dark : ThemeChoice::Light);
    QWidget window;
    const std::unique_ptr<QAbstractButton> button(createButton(property, window));
    QLineEdit other(&window);
    button->move(0, 40);
    window.show();
    window.activateWindow();
    other.setFocus();
    QTRY_VERIFY(other.hasFocus());
    const QImage before = button->grab().toImage();
    button->setFocus(Qt::TabFocusReason);
    QTRY_VERIFY(button->hasFocus());
    const QImage after = button->grab().toImage();
    QCOMPARE(after.size(), before.size());
    double most = 1;
    for (int y = 0; y < after.height(); ++y)
        for (int x = 0; x < after.width(); ++x)
            most = std::max(most, contrastRatio(before.pixelColor(x, y), after.pixelColor(x, y)));
    QVERIFY2(most >= 3, qPrintable(QString::number(most)));
    applyTheme(*qApp, ThemeChoice::Light);
}

void TestTheme::iconsFollowTheTextColour()
{
    const auto brightest = [](const Theme &theme) {
        const QImage image
            = themedIcon(QStringLiteral("close"), paletteOf(theme)).pixmap(24).toImage();
        QColor strongest(Qt::transparent);
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, image.height() / 2);
            if (pixel.alpha() > strongest.alpha())
                strongest = pixel;
        }
        return strongest;
    };
    QVERIFY(brightest(darkTheme()).lightness() > 150);
    QVERIFY(brightest(lightTheme()).lightness() < 100);
    QVERIFY(!applicationIcon().isNull());
}

void TestTheme::choicesHaveNames()
{
    QVERIFY(themeChoiceFromName(QStringLiteral("dark")) == ThemeChoice::Dark);
    QVERIFY(!themeChoiceFromName(QStringLiteral("blue")).has_value());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTheme)
#include "tst_theme.moc"
