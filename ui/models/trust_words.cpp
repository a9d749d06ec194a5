#include "ui/models/trust_words.h"

#include <QCoreApplication>

namespace ui {

QString gradeText(core::TrustLevel level)
{
    switch (level) {
    case core::TrustLevel::Good:
        return QCoreApplication::translate("Trust", "good");
    case core::TrustLevel::Fair:
        return QCoreApplication::translate("Trust", "fair");
    case core::TrustLevel::Poor:
        break;
    }
    return QCoreApplication::translate("Trust", "poor");
}

} // namespace ui
