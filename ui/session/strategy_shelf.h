#pragma once

#include "core/project/saved_strategies.h"
#include "ui/jobs/job.h"

#include <QObject>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace ui {

class Session;

/// The strategies that are saved in the open project: the project is read and written in worker
/// threads, one edit after the other. No edit is lost: what is still to be written when the shelf
/// is destroyed, or another project is opened, is written then, and a copy that the session goes on
/// in gets all of them. GUI thread.
class StrategyShelf : public QObject
{
    Q_OBJECT

public:
    StrategyShelf(Session &session, QObject *parent);
    ~StrategyShelf() override;

    const std::vector<core::SavedStrategy> &strategies() const { return m_strategies; }
    /// Why they are not known; empty: they are, or are being read.
    QString error() const { return m_error; }
    bool isEditable() const { return m_isLoaded; }
    void add(const QString &name, const std::string &file);
    void rename(std::int64_t id, const QString &name);
    void remove(std::int64_t id);
    bool isBusy() const;

signals:
    void changed();
    void failed(const QString &message);

private:
    class Command;
    struct Queue; ///< of edits that are to be written

    /// One edit of the open project: `strategy` is there afterwards, or not.
    struct Edit
    {
        core::SavedStrategy strategy;
        bool isThere = true;
    };

    const core::SavedStrategy *byId(std::int64_t id) const;
    std::int64_t unusedId() const;
    QString viewOfChanges() const;
    void apply(const Edit &edit);
    void push(const Edit &edit);
    void writeAll();
    void goOnInCopy();
    void finish();
    void onProjectChanged();
    void load();

    Session &m_session;
    std::vector<core::SavedStrategy> m_strategies;
    QString m_error;
    bool m_isLoaded = false;
    QString m_project; ///< that all this is about
    int m_opening = 0; ///< of m_project
    std::shared_ptr<Queue> m_queue;
    Job<std::vector<core::SavedStrategy>> m_load; // the jobs last: they die first
    Job<bool> m_write;
};

} // namespace ui
