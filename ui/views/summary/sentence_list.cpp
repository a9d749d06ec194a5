#include "ui/views/summary/sentence_list.h"

#include "ui/theme/measures.h"
#include "ui/widgets/format.h"

#include <QLabel>
#include <QVBoxLayout>

namespace ui {

QLabel *createSentence(const std::string &text, TextRole role, QWidget *parent)
{
    QLabel *sentence = createLabel(unbrokenUnits(QString::fromStdString(text)), role, parent);
    sentence->setWordWrap(true);
    sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return sentence;
}

QWidget *createSentenceList(const std::vector<std::string> &texts, QWidget *parent)
{
    auto *list = new QWidget(parent);
    auto *column = new QVBoxLayout(list);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::tiny);
    for (const std::string &text : texts)
        column->addWidget(createSentence(text, TextRole::Normal, list));
    return list;
}

} // namespace ui
