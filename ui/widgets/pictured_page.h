#pragma once

class QWidget;

namespace ui {

/// Implemented by a view (beside QWidget) that is a page to scroll: a picture shows all of it.
class PicturedPage
{
public:
    virtual ~PicturedPage() = default;
    /// The widget that scrolls; null while there is nothing to show.
    virtual QWidget *picturedPage() = 0;
};

} // namespace ui
