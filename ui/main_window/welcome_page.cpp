#include "ui/main_window/welcome_page.h"

#include "ui/main_window/recent_row.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ui {

namespace {

    constexpr int columnWidth = 720;
    constexpr int appIconSize = 48;

    /// The dashed frame that says "drop here"; the whole window takes drops, this only tells so.
    class DropZone : public QWidget
    {
    public:
        using QWidget::QWidget;

    protected:
        void paintEvent(QPaintEvent *) override
        {
            const Theme &theme = themeOf(palette());
            QPainter painter(this);
            painter.setRenderHint(QPainter::Antialiasing);
            QPen pen(blend(theme.background, theme.text, 0.35), 1);
            pen.setDashPattern({ 5, 4 });
            painter.setPen(pen);
            painter.setBrush(theme.panel);
            painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), cornerRadius,
                                    cornerRadius);
        }
    };

    QScrollArea *createScrollArea(QWidget *content, QWidget *parent)
    {
        auto *page = new QWidget;
        auto *row = new QHBoxLayout(page);
        row->setContentsMargins(space::huge, 0, space::huge, 0);
        row->addStretch(1);
        row->addWidget(content, 8);
        row->addStretch(1);
        auto *scroll = new QScrollArea(parent);
        scroll->setProperty("page", true);
        scroll->setWidgetResizable(true);
        scroll->setFrameShape(QFrame::NoFrame);
        scroll->setWidget(page);
        scroll->setAccessibleName(WelcomePage::tr("Welcome"));
        return scroll;
    }

} // namespace

WelcomePage::WelcomePage(QWidget *parent)
    : QWidget(parent)
    , m_recentList(new QWidget)
    , m_recentLayout(new QVBoxLayout(m_recentList))
{
    setProperty("page", true);
    setAttribute(Qt::WA_StyledBackground);
    m_recentLayout->setContentsMargins(0, 0, 0, 0);
    m_recentLayout->setSpacing(0);

    auto *content = new QWidget;
    content->setMaximumWidth(columnWidth);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, space::huge, 0, space::huge);
    column->setSpacing(space::large + space::small);
    column->addStretch(1);
    column->addWidget(createHeader());
    column->addWidget(createDropZone());
    column->addWidget(m_recentList);
    column->addStretch(2);

    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(createScrollArea(content, this));
}

QWidget *WelcomePage::createHeader()
{
    auto *header = new QWidget;
    auto *picture = new QLabel(header);
    picture->setPixmap(applicationIcon().pixmap(appIconSize));
    QLabel *what = createLabel(
        tr("Open the traces of a distributed training job to see what every rank waits for. Then "
           "change bucket size or bandwidth and compare the predicted iteration with the measured "
           "one."),
        TextRole::Secondary, header);
    what->setWordWrap(true);
    auto *text = new QVBoxLayout;
    text->setSpacing(space::tiny);
    text->addWidget(createLabel(tr("Longpole"), TextRole::Title, header));
    text->addWidget(what);
    auto *row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::large);
    row->addWidget(picture, 0, Qt::AlignTop);
    row->addLayout(text, 1);
    return header;
}

QWidget *WelcomePage::createDropZone()
{
    auto *zone = new DropZone;
    auto *openButton = createPrimaryButton(tr("Open file\u2026"), zone);
    auto *folderButton = new QPushButton(tr("Open folder\u2026"), zone);
    m_sampleButton = new QPushButton(tr("Open the sample"), zone);
    m_sampleButton->setToolTip(
        tr("Two ranks that train a convolutional network over a slow link, recorded for real"));
    connect(openButton, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(folderButton, &QPushButton::clicked, this, &WelcomePage::openFolderRequested);
    connect(m_sampleButton, &QPushButton::clicked, this, &WelcomePage::sampleRequested);
    QLabel *what = createLabel(tr("Traces of one or many ranks (PyTorch, TensorFlow, JAX, Nsight "
                                  "Systems, Horovod, BytePS, NCCL and others): files, a folder, "
                                  ".zip or .gz; or a .longpole project"),
                               TextRole::Secondary, zone);
    what->setWordWrap(true);

    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(space::small);
    buttons->addWidget(openButton);
    buttons->addWidget(folderButton);
    buttons->addWidget(m_sampleButton);
    buttons->addStretch(1);
    auto *column = new QVBoxLayout(zone);
    constexpr int inset = space::large + space::small;
    column->setContentsMargins(inset, inset, inset, inset);
    column->setSpacing(space::tiny);
    column->addWidget(createLabel(tr("Drop traces here"), TextRole::Large, zone));
    column->addWidget(what);
    column->addSpacing(space::medium);
    column->addLayout(buttons);
    return zone;
}

void WelcomePage::setRecentProjects(const QList<RecentProject> &projects)
{
    m_recent = projects;
    rebuildRecentList();
}

void WelcomePage::setSampleAvailable(bool isAvailable)
{
    m_sampleButton->setVisible(isAvailable);
}

void WelcomePage::rebuildRecentList()
{
    while (QLayoutItem *item = m_recentLayout->takeAt(0)) {
        if (item->widget() != nullptr)
            item->widget()->deleteLater(); // it may be the row whose menu asked to be removed
        delete item;
    }
    m_recentList->setVisible(!m_recent.isEmpty());
    if (m_recent.isEmpty())
        return;
    QLabel *title = createLabel(tr("Recent projects"), TextRole::Secondary, m_recentList);
    title->setContentsMargins(space::medium, 0, 0, space::tiny);
    m_recentLayout->addWidget(title);
    for (const RecentProject &project : m_recent) {
        auto *row = new RecentRow(project, m_recentList);
        connect(row, &QPushButton::clicked, this,
                [this, path = project.path] { emit projectRequested(path); });
        auto *forget = new QAction(tr("Remove from this list"), row);
        connect(forget, &QAction::triggered, this,
                [this, path = project.path] { emit projectForgotten(path); });
        row->addAction(forget);
        row->setContextMenuPolicy(Qt::ActionsContextMenu);
        m_recentLayout->addWidget(row);
    }
}

} // namespace ui
