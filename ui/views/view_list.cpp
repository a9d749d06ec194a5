#include "ui/views/view_list.h"

#include "ui/session/session.h"
#include "ui/views/clocks/clocks_view.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/import/import_view.h"
#include "ui/views/ops/ops_view.h"
#include "ui/views/sql/sql_view.h"
#include "ui/views/strategies/strategies_view.h"
#include "ui/views/summary/summary_view.h"
#include "ui/views/timeline/timeline_view.h"

#include <QtGlobal>

#include <array>

namespace ui {

namespace {

    template <class View>
    QWidget *create(Session &session, QWidget *parent)
    {
        return new View(session, parent);
    }

    const std::array views {
        ViewEntry { "summary", QT_TRANSLATE_NOOP("Views", "Summary"), &create<SummaryView> },
        ViewEntry { "timeline", QT_TRANSLATE_NOOP("Views", "Timeline"), &create<TimelineView> },
        ViewEntry { "graph", QT_TRANSLATE_NOOP("Views", "Graph"), &create<GraphView>,
                    ViewPlace::Bar, true },
        ViewEntry { "ops", QT_TRANSLATE_NOOP("Views", "Operations"), &create<OpsView>,
                    ViewPlace::Bar, true },
        ViewEntry { "compare", QT_TRANSLATE_NOOP("Views", "Compare"), &create<CompareView>,
                    ViewPlace::Bar, true },
        ViewEntry { "strategies", QT_TRANSLATE_NOOP("Views", "Strategies"), &create<StrategiesView>,
                    ViewPlace::Bar, true },
        ViewEntry { "import", QT_TRANSLATE_NOOP("Views", "Import report"), &create<ImportView>,
                    ViewPlace::Tools },
        ViewEntry { "clocks", QT_TRANSLATE_NOOP("Views", "Clocks"), &create<ClocksView>,
                    ViewPlace::Tools },
        ViewEntry { "sql", QT_TRANSLATE_NOOP("Views", "SQL"), &create<SqlView>, ViewPlace::Tools },
    };

} // namespace

std::span<const ViewEntry> viewList()
{
    return views;
}

} // namespace ui
