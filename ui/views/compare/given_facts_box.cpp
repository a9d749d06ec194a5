#include "ui/views/compare/given_facts_box.h"

#include "core/measure/gradient_collectives.h"
#include "ui/theme/measures.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>

namespace ui {
namespace {

    constexpr double MostMbit = 1e9;

    QWidget *createField(const QString &title, QLineEdit *field, QWidget *parent)
    {
        auto *row = new QWidget(parent);
        auto *column = new QVBoxLayout(row);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(space::tiny);
        column->addWidget(createLabel(title, TextRole::Normal, row));
        column->addWidget(field);
        field->setAccessibleName(title);
        return row;
    }

    QString sizesText(const std::vector<std::uint64_t> &sizes)
    {
        QStringList words;
        for (const std::uint64_t bytes : sizes)
            words << QString::number(bytes);
        return words.join(QStringLiteral(", "));
    }

} // namespace

MissingFacts missingFacts(const core::Trace &trace, const core::Graph &graph)
{
    MissingFacts missing;
    missing.given = core::givenFacts(trace.metadata);
    if (!graph.gradientSteps.empty()
        && (core::lacksGradientSizes(graph) || !missing.given.gradientBytes.empty()))
        missing.gradients = graph.gradientSteps.front().parameterBytes.size();
    missing.lacksRate
        = !graph.collectives.empty() && (missing.given.linkMbit || !trace.stated.bandwidthMbit);
    return missing;
}

QString givenNames(const core::GivenFacts &given)
{
    QStringList names;
    if (!given.gradientBytes.empty())
        names << GivenFactsBox::tr("gradient sizes");
    if (given.linkMbit)
        names << GivenFactsBox::tr("link rate");
    return names.join(QStringLiteral(", "));
}

std::optional<std::vector<std::uint64_t>> gradientSizesIn(const QString &text, std::size_t count)
{
    const QStringList words = text.split(u',');
    std::vector<std::uint64_t> sizes;
    sizes.reserve(static_cast<std::size_t>(words.size()));
    for (const QString &word : words) {
        bool isNumber = false;
        const std::uint64_t bytes = word.trimmed().toULongLong(&isNumber);
        if (!isNumber || bytes == 0 || bytes > core::MostGradientBytes)
            return std::nullopt;
        sizes.push_back(bytes);
    }
    return sizes.size() == count ? std::optional(sizes) : std::nullopt;
}

GivenFactsBox::GivenFactsBox(QWidget *parent)
    : QWidget(parent)
    , m_sizes(new QLineEdit(this))
    , m_rate(new QLineEdit(this))
    , m_use(new QPushButton(tr("Use in this project"), this))
    , m_note(createLabel({}, TextRole::Small, this))
{
    m_sizesRow = createField(tr("Gradient sizes, bytes"), m_sizes, this);
    m_rateRow = createField(tr("Nominal link rate, Mbit/s"), m_rate, this);
    m_sizes->setPlaceholderText(QStringLiteral("4096, 2359296, \u2026"));
    m_rate->setPlaceholderText(QStringLiteral("100000"));
    m_note->setWordWrap(true);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::small);
    column->addWidget(createLabel(tr("Not recorded, given by you"), TextRole::Secondary, this));
    column->addWidget(m_sizesRow);
    column->addWidget(m_rateRow);
    column->addWidget(m_note);
    column->addWidget(m_use, 0, Qt::AlignLeft);
    connect(m_use, &QPushButton::clicked, this, &GivenFactsBox::give);
    for (QLineEdit *const field : { m_sizes, m_rate })
        connect(field, &QLineEdit::returnPressed, this, &GivenFactsBox::give);
    setMissing({});
}

void GivenFactsBox::setMissing(const MissingFacts &missing)
{
    m_missing = missing;
    m_sizesRow->setVisible(missing.gradients > 0);
    m_rateRow->setVisible(missing.lacksRate);
    m_sizes->setText(sizesText(missing.given.gradientBytes));
    m_rate->setText(missing.given.linkMbit ? QString::number(*missing.given.linkMbit, 'g', 10)
                                           : QString());
    const QString sizes = missing.gradients == 0
        ? QString()
        : tr("%1 sizes, in the order in which gradients become ready. ")
              .arg(formatCount(missing.gradients));
    m_note->setText(sizes + tr("Kept in the project; the command line counts them, too."));
    setVisible(!missing.isEmpty());
}

void GivenFactsBox::showNotKept(const QString &why)
{
    m_note->setText(tr("Not kept: %1").arg(why));
}

void GivenFactsBox::give()
{
    core::GivenFacts facts;
    if (m_missing.gradients > 0 && !m_sizes->text().trimmed().isEmpty()) {
        const auto sizes = gradientSizesIn(m_sizes->text(), m_missing.gradients);
        if (!sizes)
            return m_note->setText(tr("Give %1 sizes in bytes, separated by commas.")
                                       .arg(formatCount(m_missing.gradients)));
        facts.gradientBytes = *sizes;
    }
    if (m_missing.lacksRate && !m_rate->text().trimmed().isEmpty()) {
        bool isNumber = false;
        const double mbit = m_rate->text().trimmed().toDouble(&isNumber);
        if (!isNumber || !(mbit > 0) || mbit > MostMbit)
            return m_note->setText(tr("Give the rate as a number of Mbit/s, as 100000."));
        facts.linkMbit = mbit;
    }
    if (facts == m_missing.given)
        return;
    m_note->setText(tr("Analysing the project with it\u2026"));
    emit given(facts);
}

} // namespace ui
