#include "ui/views/summary/summary_view.h"

#include "ui/session/session.h"

namespace ui {

SummaryView::SummaryView(Session &session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
{
}

} // namespace ui
