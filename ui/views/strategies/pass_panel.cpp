#include "ui/views/strategies/pass_panel.h"

#include "core/change/change_list.h"
#include "core/optimize/pass_list.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

    constexpr int DefaultSeconds = 30, MostSeconds = 3600, LargestSeed = 999'999;
    constexpr double MostGib = 10'000, BytesPerGib = 1024.0 * 1024.0 * 1024.0;
    constexpr int BoxIndent = 22; ///< px, of a text below a box

    /// Core's texts of passes are English; here they are translated.
    QString passText(std::string_view text)
    {
        return QCoreApplication::translate("Passes", std::string(text).c_str());
    }

    QLabel *createNote(const QString &text, QWidget *parent)
    {
        QLabel *label = createLabel(text, TextRole::Small, parent);
        label->setWordWrap(true);
        label->setContentsMargins(BoxIndent, 0, 0, 0);
        return label;
    }

} // namespace

PassPanel::PassPanel(QWidget *parent)
    : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::medium);
    column->addWidget(createLabel(tr("What to search"), TextRole::Large, this));
    column->addWidget(createButtons());
    for (const auto &pass : core::passes())
        if (!pass->info().isAnotherSystem)
            column->addWidget(createRow(*pass));
    column->addWidget(createLimits());
    QLabel *other = createLabel(tr("On another system"), TextRole::Secondary, this);
    other->setToolTip(toolTipParagraphs(tr("The job would have to run on it.")));
    column->addWidget(other);
    for (const auto &pass : core::passes())
        if (pass->info().isAnotherSystem)
            column->addWidget(createRow(*pass));
    updateButtons();
}

QWidget *PassPanel::createRow(const core::Pass &pass)
{
    const core::PassInfo &info = pass.info();
    auto *row = new QWidget(this);
    auto *column = new QVBoxLayout(row);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto *box = new QCheckBox(passText(info.title), row);
    box->setChecked(!info.isAnotherSystem && info.numerics == core::Numerics::Exact);
    if (!info.source.empty())
        box->setToolTip(toolTipParagraphs(tr("Source: %1").arg(passText(info.source))));
    column->addWidget(box);
    column->addWidget(createNote(passText(info.hint), row));
    if (info.numerics != core::Numerics::Exact)
        column->addWidget(createNote(tr("Changes the numbers that the job computes."), row));
    QLabel *obstacle = createNote({}, row);
    obstacle->hide();
    column->addWidget(obstacle);
    connect(box, &QCheckBox::toggled, this, &PassPanel::updateButtons);
    m_rows.push_back({ &pass, box, obstacle });
    return row;
}

QWidget *PassPanel::createLimits()
{
    auto *limits = new QWidget(this);
    m_withEnvironment = new QCheckBox(tr("Under the what-if of Compare"), limits);
    m_environmentText = createNote({}, limits);
    m_seconds = new QSpinBox(limits);
    m_seconds->setRange(1, MostSeconds);
    m_seconds->setValue(DefaultSeconds);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setToolTip(tr("The search ends after so long, with the best so far."));
    m_memory = new QDoubleSpinBox(limits);
    m_memory->setRange(0, MostGib);
    m_memory->setDecimals(2);
    m_memory->setSpecialValueText(tr("none"));
    m_memory->setSuffix(tr(" GiB"));
    m_seed = new QSpinBox(limits);
    m_seed->setRange(0, LargestSeed);
    m_seed->setToolTip(tr("The same seed tries the same strategies in the same order."));
    auto *form = new QFormLayout(limits);
    form->setContentsMargins(0, space::small, 0, 0);
    form->setHorizontalSpacing(space::medium);
    form->addRow(m_withEnvironment);
    form->addRow(m_environmentText);
    form->addRow(tr("Memory limit"), m_memory);
    form->addRow(tr("Time budget"), m_seconds);
    form->addRow(tr("Seed"), m_seed);
    setEnvironment({});
    setMemory({}, {});
    return limits;
}

QWidget *PassPanel::createButtons()
{
    auto *buttons = new QWidget(this);
    m_search = createPrimaryButton(tr("Optimize"), buttons);
    m_pause = new QPushButton(tr("Pause"), buttons);
    m_stop = new QPushButton(tr("Stop"), buttons);
    m_stop->setToolTip(tr("Ends the search with the best so far."));
    auto *row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::small);
    for (QPushButton *button : { m_search, m_pause, m_stop })
        row->addWidget(button);
    row->addStretch(1);
    connect(m_search, &QPushButton::clicked, this, &PassPanel::searchRequested);
    connect(m_pause, &QPushButton::clicked, this, [this] { emit pauseRequested(!m_isPaused); });
    connect(m_stop, &QPushButton::clicked, this, &PassPanel::stopRequested);
    return buttons;
}

core::SearchRequest PassPanel::request() const
{
    core::SearchRequest request;
    for (const Row &row : m_rows) {
        if (!row.box->isChecked() || row.isHindered)
            continue;
        request.passes.emplace_back(row.pass->info().name);
        if (row.pass->info().numerics != core::Numerics::Exact)
            request.allowsReducedNumerics = true;
    }
    request.seconds = m_seconds->value();
    if (m_memory->isEnabled() && m_memory->value() > 0)
        request.memoryLimitBytes = static_cast<std::uint64_t>(m_memory->value() * BytesPerGib);
    request.seed = static_cast<std::uint64_t>(m_seed->value());
    if (m_withEnvironment->isChecked())
        request.environment = m_environment;
    return request;
}

void PassPanel::setObstacles(const std::map<std::string, std::string> &obstacles)
{
    for (Row &row : m_rows) {
        const auto found = obstacles.find(std::string(row.pass->info().name));
        row.isHindered = found != obstacles.end();
        row.obstacle->setText(
            row.isHindered ? tr("Not on this trace: %1").arg(QString::fromStdString(found->second))
                           : QString());
        row.obstacle->setVisible(row.isHindered);
    }
    updateButtons();
}

void PassPanel::setEnvironment(const core::Strategy &environment)
{
    if (m_withEnvironment->isChecked() && !environment.isEmpty())
        return; // chosen before, and shown
    m_environment = environment;
    std::erase_if(m_environment.changes, [](const core::Change &change) {
        const auto traits = core::traitsOf(change.key);
        return traits && traits->group == core::ChangeGroup::Gradients; // searched
    });
    QStringList settings;
    for (const auto &[key, value] : m_environment.list())
        settings << QString::fromStdString(key + "=" + value);
    m_environmentText->setText(settings.join(QStringLiteral(", ")));
    const bool hasSome = !m_environment.isEmpty();
    m_withEnvironment->setVisible(hasSome);
    m_environmentText->setVisible(hasSome);
    if (!hasSome)
        m_withEnvironment->setChecked(false);
}

void PassPanel::setMemory(std::optional<std::uint64_t> peakBytes, const QString &why)
{
    m_memory->setEnabled(peakBytes.has_value());
    m_memory->setToolTip(toolTipParagraphs(
        peakBytes ? tr("Of each device. The recorded job needs %1.").arg(formatBytes(*peakBytes))
                  : why));
    if (!peakBytes)
        m_memory->setValue(0);
}

void PassPanel::setUsable(bool usable)
{
    m_isUsable = usable;
    updateButtons();
}

void PassPanel::setRunning(bool isRunning, bool isPaused)
{
    m_isRunning = isRunning;
    m_isPaused = isPaused;
    updateButtons();
}

void PassPanel::updateButtons()
{
    if (m_stop == nullptr)
        return; // not yet built
    for (const Row &row : m_rows)
        row.box->setEnabled(m_isUsable && !row.isHindered && !m_isRunning);
    const bool isSomeChosen = std::any_of(m_rows.begin(), m_rows.end(), [](const Row &row) {
        return row.box->isChecked() && !row.isHindered;
    });
    m_search->setEnabled(m_isUsable && !m_isRunning && isSomeChosen);
    m_pause->setText(m_isPaused ? tr("Resume") : tr("Pause"));
    m_pause->setVisible(m_isRunning);
    m_stop->setVisible(m_isRunning);
}

} // namespace ui
