#include "ui/views/compare/setting_row.h"

#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    constexpr int SliderSteps = 200;

} // namespace

SettingRow::SettingRow(const QString &title, const QString &hint, const Range &range,
                       QWidget *parent)
    : QWidget(parent)
    , m_box(new QCheckBox(title, this))
    , m_number(new QDoubleSpinBox(this))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_hint(hint)
    , m_note(createLabel(hint, TextRole::Small, this))
{
    m_slider->setRange(0, SliderSteps);
    m_number->setKeyboardTracking(false);
    m_number->setMinimumWidth(110);
    m_number->setAccessibleName(title);
    m_slider->setAccessibleName(title);
    setRange(range);
    setValue(std::nullopt);
    auto *head = new QHBoxLayout;
    head->addWidget(m_box, 1);
    head->addWidget(m_number);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addLayout(head);
    layout->addWidget(m_slider);
    m_note->setWordWrap(true);
    layout->addWidget(m_note);
    connect(m_box, &QCheckBox::toggled, this, &SettingRow::valueChanged);
    connect(m_number, &QDoubleSpinBox::valueChanged, this, [this](double number) {
        const QSignalBlocker quietSlider(m_slider);
        const QSignalBlocker quietBox(m_box);
        m_slider->setValue(positionOf(number));
        m_box->setChecked(true);
        m_given.reset();
        emit valueChanged();
    });
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int position) { m_number->setValue(valueAt(position)); });
}

void SettingRow::setRange(const Range &range)
{
    const QSignalBlocker quietNumber(m_number);
    const QSignalBlocker quietSlider(m_slider);
    m_scale = range.scale;
    m_unit = range.unit;
    m_least = range.least;
    m_most = range.most;
    m_number->setDecimals(range.decimals);
    const double digit = range.scale == Scale::Linear ? 0 : std::pow(10, -range.decimals);
    m_number->setRange(std::min(range.least, std::max(digit, range.typedLeast.value_or(m_least))),
                       std::max(range.most, range.typedMost.value_or(m_most)));
    m_number->setSuffix(range.suffix);
    m_number->setValue(range.initial);
    m_given.reset();
    if (m_number->value() != range.initial)
        m_given = range.initial * range.unit; // what is shown is rounded
    m_slider->setValue(positionOf(range.initial));
}

void SettingRow::setRecorded(const QString &recorded)
{
    m_note->setText(recorded.isEmpty() ? m_hint : tr("%1; recorded: %2").arg(m_hint, recorded));
}

std::optional<double> SettingRow::value() const
{
    if (!m_box->isChecked())
        return std::nullopt;
    if (m_given)
        return m_given;
    return m_unit == 1 ? m_number->value() : std::round(m_number->value() * m_unit);
}

void SettingRow::setValue(std::optional<double> value)
{
    const QSignalBlocker quietBox(m_box);
    const QSignalBlocker quietNumber(m_number);
    const QSignalBlocker quietSlider(m_slider);
    m_box->setChecked(value.has_value());
    m_given = value;
    if (value) {
        const double shown = *value / m_unit;
        makeRoomFor(shown);
        m_number->setValue(shown);
        m_slider->setValue(positionOf(shown));
    }
}

void SettingRow::makeRoomFor(double shown)
{
    constexpr int MostDecimals = 6;
    const auto isExact = [this, shown] {
        const double scale = std::pow(10, m_number->decimals());
        return std::abs(std::round(shown * scale) / scale - shown) <= 1e-6 * shown;
    };
    while (m_number->decimals() < MostDecimals && !isExact()) {
        m_number->setDecimals(m_number->decimals() + 1);
    }
    m_number->setRange(std::min(m_number->minimum(), shown), std::max(m_number->maximum(), shown));
    if (shown > 0 || m_scale == Scale::Linear)
        m_least = std::min(m_least, shown);
    m_most = std::max(m_most, shown);
}

int SettingRow::positionOf(double value) const
{
    const double shown = std::clamp(value, m_least, m_most);
    const double part = m_scale == Scale::Linear
        ? (shown - m_least) / (m_most - m_least)
        : std::log(shown / m_least) / std::log(m_most / m_least);
    return static_cast<int>(std::lround(SliderSteps * part));
}

double SettingRow::valueAt(int position) const
{
    if (m_scale == Scale::Linear)
        return m_least + (m_most - m_least) * position / SliderSteps;
    const double span = std::log(m_most / m_least);
    const double exact = m_least * std::exp(span * position / SliderSteps);
    const double digit = std::pow(10, std::floor(std::log10(exact)) - 1); // two digits will do
    return std::round(exact / digit) * digit;
}

} // namespace ui
