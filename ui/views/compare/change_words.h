#pragma once

#include <QCoreApplication>
#include <QString>

#include <string>
#include <string_view>

namespace ui {

/// Core's texts of changes are English; here they are translated.
inline QString translated(std::string_view text)
{
    return QCoreApplication::translate("Changes", std::string(text).c_str());
}

} // namespace ui
