#pragma once

#include "core/blocks/drawing.h"

#include <QTextBrowser>

#include <cstdint>

namespace ui {

/// Facts of the selected block: its lane and times, and what it waits for and what waits
/// for it, as links.
class BlockDetails : public QTextBrowser
{
    Q_OBJECT

public:
    explicit BlockDetails(QWidget *parent);

    void showBlock(const core::Drawing &drawing, std::uint32_t block);
    void showNothing();

signals:
    void blockChosen(std::uint32_t block);
    void timelineRequested();
};

} // namespace ui
