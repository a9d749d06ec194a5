#include "ui/main_window/named_event.h"

#include "core/base/error.h"
#include "core/project/read/project_reader.h"

#include <QCoreApplication>

namespace ui {

namespace {

    class NamedEventText
    {
        Q_DECLARE_TR_FUNCTIONS(NamedEvent)
    };

} // namespace

core::SliceId namedEvent(const core::ProjectReader &reader, const QString &event)
{
    bool isNumber = false;
    const core::SliceId id { event.toULongLong(&isNumber) };
    if (isNumber) {
        if (!reader.slice(id))
            throw core::Error(NamedEventText::tr("--at %1: there is no event of this number.")
                                  .arg(event)
                                  .toStdString());
        return id;
    }
    const auto found = reader.findByName(event.toStdString(), 1);
    if (found.empty())
        throw core::Error(
            NamedEventText::tr("--at %1: no event has this in its name. See longpole ops.")
                .arg(event)
                .toStdString());
    return found.front();
}

} // namespace ui
