#pragma once

#include "core/change/change.h"
#include "ui/jobs/job.h"

#include <QPushButton>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace ui {

class Session;

/// Opens the menu of strategies of systems and papers, and predicts the chosen one.
class PublishedButton : public QPushButton
{
    Q_OBJECT

public:
    /// `environmentNow`: the changes that every strategy has when one is chosen.
    PublishedButton(Session &session, std::function<core::Strategy()> environmentNow,
                    QWidget *parent);

    void showFacts(); ///< what the job supports has become known
    void cancel();

signals:
    /// Twice: first without, then with what it takes, in a sentence.
    void chosen(const QString &title, const core::Strategy &strategy, const QString &times);
    void failed(const QString &message);

private:
    /// Iterations without and with it; empty: it cannot be predicted.
    using Times = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
    void choose(const QString &title, const core::Strategy &changes);

    Session &m_session;
    std::function<core::Strategy()> m_environmentNow;
    Job<Times> m_job; // last: it dies first
};

} // namespace ui
