#include "ui/main_window/image_dialog.h"

#include "ui/main_window/picture_file.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

    constexpr int DialogWidth = 460;

    enum Colours { AsShown, Light, Dark };

    /// 3 of "rank 3 \u00b7 node7".
    std::optional<int> rankIn(const QString &name)
    {
        static const QRegularExpression pattern(QStringLiteral("^rank (\\d+)\\b"));
        const QRegularExpressionMatch match = pattern.match(name);
        return match.hasMatch() ? std::optional(match.captured(1).toInt()) : std::nullopt;
    }

    /// Adds the groups that a word ("7", "0-3", "rank 2") names; false for none.
    bool addNamed(const QString &word, const std::vector<QString> &groups,
                  std::vector<QString> &chosen)
    {
        static const QRegularExpression pattern(QStringLiteral("^(\\d+)(?:\\s*-\\s*(\\d+))?$"));
        const QRegularExpressionMatch match = pattern.match(word);
        const int from = match.captured(1).toInt();
        const int to = match.captured(2).isEmpty() ? from : match.captured(2).toInt();
        bool isFound = false;
        for (const QString &group : groups) {
            const std::optional<int> number = rankIn(group);
            const bool isNamed
                = match.hasMatch() ? number && *number >= from && *number <= to : group == word;
            isFound = isFound || isNamed;
            if (isNamed && std::ranges::find(chosen, group) == chosen.end())
                chosen.push_back(group);
        }
        return isFound;
    }

} // namespace

std::optional<std::vector<QString>> chosenGroups(const QString &text,
                                                 const std::vector<QString> &groups)
{
    std::vector<QString> chosen;
    const QStringList words = text.split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (const QString &word : words)
        if (!word.trimmed().isEmpty() && !addNamed(word.trimmed(), groups, chosen))
            return std::nullopt;
    return chosen;
}

ImageDialog::ImageDialog(std::vector<PicturedTimeline> timelines, const Theme &theme,
                         QSettings &settings, QWidget *parent)
    : QDialog(parent)
    , m_timelines(std::move(timelines))
    , m_theme(theme)
    , m_settings(settings)
    , m_colours(new QComboBox(this))
    , m_scale(new QDoubleSpinBox(this))
    , m_note(createLabel({}, TextRole::Secondary, this))
{
    setWindowTitle(tr("Export image"));
    setMinimumWidth(DialogWidth);
    auto *column = new QVBoxLayout(this);
    auto *form = new QFormLayout;
    column->addLayout(form);
    if (!m_timelines.empty()) {
        m_groups = shownGroups(*m_timelines.front().state);
        m_ranks = new QLineEdit(this);
        m_ranks->setPlaceholderText(tr("all that are shown; or 0-3, 7"));
        form->addRow(tr("&Ranks"), m_ranks);
        m_time = new QComboBox(this);
        form->addRow(tr("&Time"), m_time);
        addTimes();
        connect(m_ranks, &QLineEdit::textChanged, this, &ImageDialog::updateState);
        connect(m_time, &QComboBox::currentIndexChanged, this, &ImageDialog::updateState);
    }
    m_colours->addItems({ tr("As the window"), tr("Light"), tr("Dark") });
    m_colours->setCurrentIndex(
        std::clamp(m_settings.value(QStringLiteral("image/colours"), AsShown).toInt(), 0, 2));
    form->addRow(tr("&Colours"), m_colours);
    m_colours->setEnabled(!m_timelines.empty());
    m_scale->setRange(SmallestScale, LargestScale);
    m_scale->setDecimals(1);
    m_scale->setSuffix(QStringLiteral("\u00d7"));
    m_scale->setToolTip(tr("Pixels of a PNG for one of the window; SVG and PDF are sharp anyway"));
    m_scale->setValue(m_settings.value(QStringLiteral("image/scale"), 2).toDouble());
    form->addRow(tr("&Scale of a PNG"), m_scale);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_save = buttons->addButton(tr("Save as\u2026"), QDialogButtonBox::AcceptRole);
    m_save->setDefault(true);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_scale, &QDoubleSpinBox::valueChanged, this, &ImageDialog::updateState);
    updateState();
}

void ImageDialog::addTimes()
{
    const TimelineState &state = *m_timelines.front().state;
    const auto add = [&](const QString &name, core::TimeRange time) {
        time = { time.startNs - state.originNs(), time.endNs - state.originNs() };
        m_times.push_back(time);
        m_time->addItem(tr("%1: %2").arg(name, timeSpanText(time)));
    };
    add(tr("Visible"), state.visible());
    if (state.area())
        add(tr("Selected area"), state.area()->range);
    if (state.mark())
        add(tr("Marked"), *state.mark());
    constexpr std::size_t MostIterations = 30, MostTimes = 50; // more are no help in a list
    for (const TimelineIteration &iteration : state.iterations())
        if (m_times.size() < MostIterations)
            add(iteration.label, iteration.range);
    for (const core::TimeRange &mark : state.keptMarks())
        if (m_times.size() < MostTimes)
            add(tr("Kept mark"), mark);
    add(tr("All"), state.source()->range());
}

ImageWish ImageDialog::wish() const
{
    ImageWish wish;
    wish.scale = m_scale->value();
    wish.choice.theme = m_colours->currentIndex() == AsShown ? m_theme
        : m_colours->currentIndex() == Dark                  ? darkTheme()
                                                             : lightTheme();
    if (m_timelines.empty())
        return wish;
    wish.choice.groups = chosenGroups(m_ranks->text(), m_groups).value_or(std::vector<QString>());
    wish.choice.time = m_times[static_cast<std::size_t>(m_time->currentIndex())];
    return wish;
}

void ImageDialog::updateState()
{
    QString note;
    bool isUsable = true;
    if (!m_timelines.empty()) {
        isUsable = chosenGroups(m_ranks->text(), m_groups).has_value();
        PictureChoice choice = wish().choice;
        choice.caption = QStringLiteral("-"); // of one line, as most have
        const QSize size = TimelinePicture(m_timelines, choice).size();
        const QString tooLarge = whyTooLarge(size, m_scale->value(), QStringLiteral(".png"));
        note = !isUsable          ? tr("No such rank is shown. Write numbers, such as 0-3, 7.")
            : !tooLarge.isEmpty() ? tooLarge
                                  : tr("%1 \u00d7 %2 pixels as PNG")
                                        .arg(qRound(size.width() * m_scale->value()))
                                        .arg(qRound(size.height() * m_scale->value()));
    }
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
    m_save->setEnabled(isUsable);
}

void ImageDialog::accept()
{
    m_settings.setValue(QStringLiteral("image/colours"), m_colours->currentIndex());
    m_settings.setValue(QStringLiteral("image/scale"), m_scale->value());
    QDialog::accept();
}

} // namespace ui
