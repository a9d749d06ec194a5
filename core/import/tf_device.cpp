#include "core/import/tf_device.h"

#include "core/import/decimal_time.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace core {

namespace {

    std::optional<int> index(std::string_view text)
    {
        const std::optional<std::int64_t> number = integerFrom(text);
        if (!number || *number < 0 || *number > std::numeric_limits<int>::max())
            return std::nullopt;
        return static_cast<int>(*number);
    }

    /// "device:GPU:0", and "gpu:0" as older versions write it.
    std::optional<int> acceleratorIndex(std::string_view part)
    {
        constexpr std::string_view Device = "device:";
        if (part.starts_with(Device))
            part.remove_prefix(Device.size());
        const std::size_t colon = part.find(':');
        if (colon == std::string_view::npos || part.find("CPU") != std::string_view::npos
            || part.find("cpu") != std::string_view::npos)
            return std::nullopt;
        return index(part.substr(colon + 1));
    }

    void addPart(TfDevice &device, std::string_view part)
    {
        const std::size_t colon = std::min(part.find(':'), part.size());
        const std::string_view key = part.substr(0, colon);
        const std::string_view value = part.substr(std::min(colon + 1, part.size()));
        if (key == "job") {
            device.job = value;
        } else if (key == "task") {
            device.task = index(value).value_or(0);
        } else if (key == "stream" && value != "all") {
            device.row = TfDevice::Row::Stream;
            device.stream = value;
        } else if (key == "stream" || key == "memcpy") {
            device.row = TfDevice::Row::Collected;
        } else if (key != "replica") {
            device.accelerator = acceleratorIndex(part);
        }
    }

    /// The order of tasks in a job.
    int jobOrder(std::string_view job)
    {
        if (job == "chief" || job == "master")
            return 0;
        return job == "worker" ? 1 : 2;
    }

} // namespace

TfDevice tfDevice(std::string_view name)
{
    TfDevice device;
    while (!name.empty()) {
        const std::size_t slash = std::min(name.find('/'), name.size());
        if (slash > 0)
            addPart(device, name.substr(0, slash));
        name.remove_prefix(std::min(slash + 1, name.size()));
    }
    return device;
}

bool areOfOneTask(const TfDevice &a, const TfDevice &b)
{
    return a.job.empty() || b.job.empty() || (a.job == b.job && a.task == b.task);
}

const TfTasks::Task *TfTasks::find(const TfDevice &device) const
{
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [&device](const Task &task) {
        return device.job.empty() || (task.job == device.job && task.number == device.task);
    });
    return found == m_tasks.end() ? nullptr : &*found;
}

WorkerId TfTasks::worker(const TfDevice &device)
{
    if (const Task *const known = find(device))
        return known->worker;
    if (!m_tasks.empty() && m_tasks.front().job.empty()) {
        m_tasks.front().job = device.job; // the process whose own devices came before
        m_tasks.front().number = device.task;
        return m_tasks.front().worker;
    }
    m_tasks.push_back({ device.job, device.task, m_sink.addWorker() });
    return m_tasks.back().worker;
}

std::optional<int> TfTasks::rankOf(const Task &task) const
{
    if (m_tasks.size() == 1)
        return task.job == "worker" ? std::optional(task.number) : std::nullopt;
    const auto key = [](const Task &one) {
        return std::tuple(jobOrder(one.job), std::string_view(one.job), one.number);
    };
    return static_cast<int>(std::count_if(
        m_tasks.begin(), m_tasks.end(), [&](const Task &other) { return key(other) < key(task); }));
}

std::optional<int> TfTasks::rankOf(const TfDevice &device) const
{
    const Task *const task = find(device);
    return task == nullptr ? std::nullopt : rankOf(*task);
}

void TfTasks::describeWorkers() const
{
    for (const Task &task : m_tasks) {
        WorkerInfo info;
        info.rank = rankOf(task);
        m_sink.describeWorker(task.worker, info);
    }
}

} // namespace core
