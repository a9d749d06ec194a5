#include "ui/views/compare/text_row.h"

#include "ui/theme/measures.h"
#include "ui/views/compare/change_words.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace ui {

TextRow::TextRow(const core::ChangeTraits &traits, QWidget *parent)
    : QWidget(parent)
    , m_box(new QCheckBox(translated(traits.title), this))
    , m_text(new QLineEdit(this))
    , m_hint(translated(traits.hint))
    , m_note(createLabel(m_hint, TextRole::Small, this))
{
    m_text->setAccessibleName(m_box->text());
    m_note->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_box);
    layout->addWidget(m_text);
    layout->addWidget(m_note);
    connect(m_box, &QCheckBox::toggled, this, &TextRow::valueChanged);
    connect(m_text, &QLineEdit::editingFinished, this, [this] {
        if (!m_text->isModified())
            return;
        m_text->setModified(false);
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(!m_text->text().isEmpty());
        emit valueChanged();
    });
}

std::optional<std::string> TextRow::value() const
{
    const QString text = m_text->text().remove(u' ');
    return m_box->isChecked() && !text.isEmpty() ? std::optional(text.toStdString()) : std::nullopt;
}

void TextRow::setValue(const std::optional<std::string> &value)
{
    const QSignalBlocker quiet(m_box);
    m_box->setChecked(value.has_value());
    if (value)
        m_text->setText(QString::fromStdString(*value));
}

void TextRow::setRecorded(const std::optional<std::string> &recorded)
{
    if (!m_box->isChecked())
        m_text->setText(QString::fromStdString(recorded.value_or("")));
    m_note->setText(recorded ? tr("%1; recorded: %2").arg(m_hint, QString::fromStdString(*recorded))
                             : m_hint);
}

} // namespace ui
