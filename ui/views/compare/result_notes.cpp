#include "ui/views/compare/result_notes.h"

#include "ui/session/session.h"
#include "ui/theme/measures.h"
#include "ui/views/compare/memory_strip.h"
#include "ui/views/compare/result_text.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>

namespace ui {

ResultNotes::ResultNotes(QWidget *parent)
    : QWidget(parent)
    , m_memory(new MemoryStrip(this))
    , m_scheduling(new ElidedLabel(TextRole::Secondary, this))
    , m_layout(new QBoxLayout(QBoxLayout::TopToBottom, this))
{
    m_scheduling->setContentsMargins(space::large, space::tiny, space::large, space::tiny);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_layout->addWidget(m_memory, 2, Qt::AlignTop); // the longer text
    m_layout->addWidget(m_scheduling, 1, Qt::AlignTop);
}

void ResultNotes::showScheduling(const Session &session, const core::Prediction *shown)
{
    const auto facts = session.changeFacts();
    const QString text = shown == nullptr || session.diagnosis() == nullptr || facts == nullptr
        ? QString()
        : schedulingText(*shown, session.diagnosis()->selfReplay);
    m_scheduling->setFullText(text);
    m_scheduling->setExplanation(text.isEmpty() ? QString()
                                                : schedulingExplanation(*shown, facts->obstacles));
    m_scheduling->setVisible(!text.isEmpty());
}

void ResultNotes::setSideBySide(bool isOn)
{
    m_layout->setDirection(isOn ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

} // namespace ui
