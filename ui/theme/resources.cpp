#include "ui/theme/resources.h"

#include <QtGlobal>

// Q_INIT_RESOURCE works in the global namespace only.
static void initializeResources()
{
    Q_INIT_RESOURCE(longpole);
}

namespace ui {

void loadResources()
{
    static const bool isLoaded = (initializeResources(), true);
    static_cast<void>(isLoaded);
}

} // namespace ui
