#include "ui/views/compare/word_row.h"

#include "ui/theme/measures.h"
#include "ui/views/compare/change_words.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

WordRow::WordRow(const core::ChangeTraits &traits, QWidget *parent)
    : QWidget(parent)
    , m_traits(traits)
    , m_box(new QCheckBox(translated(traits.title), this))
    , m_words(new QComboBox(this))
    , m_count(new QSpinBox(this))
    , m_hint(translated(traits.hint))
    , m_note(createLabel(m_hint, TextRole::Small, this))
{
    for (const core::ChangeWord &word : traits.words) {
        m_words->addItem(translated(word.title));
        if (!word.hint.empty())
            m_words->setItemData(m_words->count() - 1, toolTipParagraphs(translated(word.hint)),
                                 Qt::ToolTipRole);
    }
    constexpr int Shown = 12; // characters: long words do not widen the panel, but the list
    m_words->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_words->setMinimumContentsLength(Shown);
    m_words->view()->setMinimumWidth(m_words->view()->sizeHintForColumn(0) + space::large);
    m_words->setAccessibleName(m_box->text());
    m_count->setRange(1, 1024);
    m_note->setWordWrap(true);
    auto *choice = new QHBoxLayout;
    choice->addWidget(m_words, 1);
    choice->addWidget(m_count);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_box);
    layout->addLayout(choice);
    layout->addWidget(m_note);
    connect(m_box, &QCheckBox::toggled, this, &WordRow::valueChanged);
    const auto apply = [this] {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(true);
        showCount();
        emit valueChanged();
    };
    connect(m_words, &QComboBox::currentIndexChanged, this, apply);
    connect(m_count, &QSpinBox::valueChanged, this, apply);
    showCount();
}

const core::ChangeWord &WordRow::chosen() const
{
    return m_traits.words[static_cast<std::size_t>(m_words->currentIndex())];
}

std::optional<std::string> WordRow::value() const
{
    if (!m_box->isChecked())
        return std::nullopt;
    const core::ChangeWord &word = chosen();
    const std::string text(word.word);
    return word.countTitle.empty() ? text : text + ":" + std::to_string(m_count->value());
}

void WordRow::setValue(const std::optional<std::string> &value)
{
    const QSignalBlocker quiet(m_box);
    m_box->setChecked(value.has_value());
    if (value)
        choose(*value);
}

void WordRow::setRecorded(const std::optional<std::string> &recorded)
{
    m_note->setText(m_hint);
    if (!recorded)
        return;
    if (!m_box->isChecked())
        choose(*recorded);
    for (const core::ChangeWord &word : m_traits.words)
        if (word.word == *recorded)
            m_note->setText(tr("%1; recorded: %2").arg(m_hint, translated(word.title)));
}

void WordRow::choose(const std::string &value)
{
    const QSignalBlocker quietWords(m_words);
    const QSignalBlocker quietCount(m_count);
    const std::size_t colon = value.find(':');
    const std::string word = value.substr(0, colon);
    for (std::size_t i = 0; i < m_traits.words.size(); ++i)
        if (m_traits.words[i].word == word)
            m_words->setCurrentIndex(static_cast<int>(i));
    if (colon != std::string::npos) {
        const int count = QString::fromStdString(value.substr(colon + 1)).toInt();
        m_count->setMaximum(std::max(m_count->maximum(), count));
        m_count->setValue(count);
    }
    showCount();
}

void WordRow::showCount()
{
    const std::string_view title = chosen().countTitle;
    m_count->setVisible(!title.empty());
    m_count->setPrefix(title.empty() ? QString() : translated(title) + QStringLiteral(": "));
}

} // namespace ui
