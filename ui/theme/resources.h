#pragma once

namespace ui {

/// Makes the compiled-in resources (icons, style sheet) known to Qt; needed once before their first
/// use because this library is static.
void loadResources();

} // namespace ui
