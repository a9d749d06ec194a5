#include "ui/views/timeline/details_panel.h"

#include "ui/theme/theme.h"
#include "ui/widgets/format.h"
#include "ui/widgets/text_label.h"
#include "ui/widgets/value_label.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {
namespace {

    /// A value that can be marked and copied, and that breaks anywhere rather than widen the panel.
    QLabel *makeValue(const QString &text, QWidget *parent)
    {
        QString breakable;
        for (const QChar c : text) {
            breakable += c == QChar(0x2009) ? QChar(0x202F) : c; // number and unit stay together
            if (c == u'_' || c == u':' || c == u',' || c == u'/' || c == u'<') {
                breakable += QChar(0x200B);
            }
        }
        auto *label = new ValueLabel(breakable, parent);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setMinimumWidth(1); // of an ignored width the height would not be the text's
        return label;
    }

} // namespace

DetailsPanel::DetailsPanel(QWidget *parent)
    : QScrollArea(parent)
{
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(240);
    setAccessibleName(tr("Details of the selection"));
    setFrameShape(QFrame::NoFrame);
}

QVBoxLayout *DetailsPanel::startPage()
{
    auto *page = new QWidget(this);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(space::medium, space::medium, space::medium, space::medium);
    layout->setSpacing(space::small);
    m_links.clear();
    setWidget(page);
    return layout;
}

void DetailsPanel::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    for (const auto &[link, text] : m_links)
        elide(*link, text);
}

void DetailsPanel::elide(QPushButton &link, const QString &text) const
{
    const int room = viewport()->width() - 2 * space::medium - space::tiny;
    QString shown = link.fontMetrics().elidedText(text, Qt::ElideMiddle, room);
    link.setText(shown.replace(QLatin1Char('&'), QLatin1String("&&")));
}

void DetailsPanel::showText(const QString &text)
{
    QVBoxLayout *page = startPage();
    addText(page, text);
    page->addStretch();
}

void DetailsPanel::addText(QVBoxLayout *page, const QString &text)
{
    QLabel *label = createLabel(text, TextRole::Secondary, widget());
    label->setWordWrap(true);
    page->addWidget(label);
}

void DetailsPanel::showDetails(const SliceDetails &details)
{
    QVBoxLayout *page = startPage();
    QLabel *name = makeValue(details.name, widget());
    name->setFont(uiFont(TextSize::Normal, QFont::DemiBold));
    page->addWidget(name);
    addTable(page, details.facts);
    addCollective(page, details);
    if (details.graphNote.isEmpty()) {
        addLinks(page, tr("Waited for"), details.predecessors);
        addLinks(page, tr("Let start"), details.successors);
    } else {
        addHeading(page, tr("Dependencies"));
        QLabel *note = createLabel(details.graphNote, TextRole::Secondary, widget());
        note->setWordWrap(true);
        page->addWidget(note);
    }
    if (!details.args.empty()) {
        addHeading(page, tr("Arguments"));
        addTable(page, details.args);
    }
    page->addStretch();
}

void DetailsPanel::addHeading(QVBoxLayout *page, const QString &text)
{
    QLabel *heading = createLabel(text, TextRole::Normal, widget());
    heading->setFont(uiFont(TextSize::Normal, QFont::DemiBold));
    page->addSpacing(space::small);
    page->addWidget(heading);
}

void DetailsPanel::addTable(QVBoxLayout *page, const std::vector<std::pair<QString, QString>> &rows)
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::tiny);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const auto &[label, value] : rows) {
        QLabel *name = createLabel(label, TextRole::Secondary, widget());
        name->setTextInteractionFlags(Qt::TextSelectableByMouse); // else a pixel below its value
        grid->addWidget(name, row, 0, Qt::AlignTop);
        grid->addWidget(makeValue(value, widget()), row, 1);
        ++row;
    }
    page->addLayout(grid);
}

void DetailsPanel::addCollective(QVBoxLayout *page, const SliceDetails &details)
{
    if (details.parts.empty()) {
        return;
    }
    addHeading(page, tr("Why it waited"));
    QLabel *sentence = createLabel(details.waitSentence, TextRole::Normal, widget());
    sentence->setWordWrap(true);
    page->addWidget(sentence);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(3, 1);
    const QString titles[] { tr("Rank"), tr("Wait"), tr("Transfer") };
    for (int column = 0; column < 3; ++column) {
        grid->addWidget(createLabel(titles[column], TextRole::Small, widget()), 0, column,
                        column == 0 ? Qt::AlignLeft : Qt::AlignRight);
    }
    int row = 1;
    for (const CollectivePart &part : details.parts) {
        const QString rank = tr("rank %1").arg(part.rank);
        QLabel *own = part.isSelf ? createLabel(rank, TextRole::Normal, widget()) : nullptr;
        if (own != nullptr)
            own->setContentsMargins(0, 2, 0, 2); // rows are as high as the links'
        grid->addWidget(own != nullptr ? static_cast<QWidget *>(own)
                                       : makeLink(rank, part.slice, widget()),
                        row, 0);
        grid->addWidget(createLabel(formatDuration(part.waitNs), TextRole::Normal, widget()), row,
                        1, Qt::AlignRight);
        grid->addWidget(createLabel(formatDuration(part.transferNs), TextRole::Normal, widget()),
                        row, 2, Qt::AlignRight);
        const QString note = part.isLast ? tr("last") : part.isSelf ? tr("this") : QString();
        grid->addWidget(createLabel(note, TextRole::Small, widget()), row, 3);
        ++row;
    }
    page->addLayout(grid);
}

void DetailsPanel::addLinks(QVBoxLayout *page, const QString &title,
                            const std::vector<SliceLink> &links)
{
    addHeading(page, title);
    if (links.empty()) {
        page->addWidget(createLabel(tr("nothing in the trace"), TextRole::Secondary, widget()));
    }
    for (const SliceLink &link : links) {
        auto *entry = new QVBoxLayout;
        entry->setSpacing(0);
        entry->addWidget(makeLink(link.name, link.slice, widget()));
        QLabel *note = createLabel(link.note, TextRole::Small, widget());
        note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        entry->addWidget(note);
        page->addLayout(entry);
    }
}

QWidget *DetailsPanel::makeLink(const QString &text, core::SliceId slice, QWidget *parent)
{
    QPushButton *link = createLink(text, parent);
    link->setToolTip(toolTipParagraphs(text));
    link->setAccessibleName(text);
    link->setProperty("flush", true); // in line with the text above and below
    connect(
        link, &QPushButton::clicked, this, [this, slice] { emit linkActivated(slice); },
        Qt::QueuedConnection); // the page, and the button with it, is replaced
    m_links.emplace_back(link, text);
    elide(*link, text);
    return link;
}

} // namespace ui
