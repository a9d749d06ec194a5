#pragma once

#include "core/model/trace_sink.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// A device as TensorFlow's runtime names it: "/job:worker/replica:0/task:1/device:GPU:0",
/// "/device:GPU:0/stream:13", "/gpu:0/memcpy".
struct TfDevice
{
    enum class Row {
        Host, ///< threads that run operators, or launch them
        Stream, ///< one stream of an accelerator
        Collected, ///< stream:all and memcpy: repeat what the streams have
    };

    std::string job; ///< empty where the name has none: the process's own devices
    int task = 0;
    Row row = Row::Host;
    std::optional<int> accelerator; ///< index of a GPU or TPU
    std::string stream; ///< of a Stream
};

TfDevice tfDevice(std::string_view name);
/// Whether the devices are of one process, as far as their names say.
bool areOfOneTask(const TfDevice &a, const TfDevice &b);

/// The tasks of a job that one file shows, as workers. Devices without a job belong to the first.
class TfTasks
{
public:
    explicit TfTasks(TraceSink &sink)
        : m_sink(sink)
    {
    }

    WorkerId worker(const TfDevice &device);
    /// The rank of a task's worker, once all tasks are known: chief, workers, then the others, each
    /// by number. Absent where the file shows one task that is no worker of a job.
    std::optional<int> rankOf(const TfDevice &device) const;
    /// Gives every worker its rank.
    void describeWorkers() const;

private:
    struct Task
    {
        std::string job;
        int number = 0;
        WorkerId worker;
    };

    const Task *find(const TfDevice &device) const;
    /// Of every task, by its place in the order of ranks.
    std::vector<std::optional<int>> ranks() const;

    TraceSink &m_sink;
    std::vector<Task> m_tasks;
    std::map<std::pair<std::string, int>, std::size_t> m_byName; ///< those with a job
    mutable std::vector<std::optional<int>> m_ranks; ///< of m_tasks; empty: not known yet
};

} // namespace core
