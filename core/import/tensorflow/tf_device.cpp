#include "core/import/tensorflow/tf_device.h"

#include "core/import/text/index_text.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace core {

namespace {

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
        return indexFrom(part.substr(colon + 1));
    }

    void addPart(TfDevice &device, std::string_view part)
    {
        const std::size_t colon = std::min(part.find(':'), part.size());
        const std::string_view key = part.substr(0, colon);
        const std::string_view value = part.substr(std::min(colon + 1, part.size()));
        if (key == "job") {
            device.job = value;
        } else if (key == "task") {
            device.task = indexFrom(value).value_or(0);
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
    if (device.job.empty())
        return m_tasks.empty() ? nullptr : &m_tasks.front();
    const auto found = m_byName.find({ device.job, device.task });
    return found == m_byName.end() ? nullptr : &m_tasks[found->second];
}

WorkerId TfTasks::worker(const TfDevice &device)
{
    if (const Task *const known = find(device))
        return known->worker;
    m_ranks.clear();
    if (!m_tasks.empty() && m_tasks.front().job.empty()) {
        m_tasks.front().job = device.job; // the process whose own devices came before
        m_tasks.front().number = device.task;
        m_byName.emplace(std::pair { device.job, device.task }, 0);
        return m_tasks.front().worker;
    }
    if (!device.job.empty())
        m_byName.emplace(std::pair { device.job, device.task }, m_tasks.size());
    m_tasks.push_back({ device.job, device.task, m_sink.addWorker() });
    return m_tasks.back().worker;
}

std::vector<std::optional<int>> TfTasks::ranks() const
{
    if (m_tasks.size() == 1) {
        const Task &only = m_tasks.front();
        return { only.job == "worker" ? std::optional(only.number) : std::nullopt };
    }
    std::vector<std::size_t> order(m_tasks.size());
    std::iota(order.begin(), order.end(), std::size_t { 0 });
    std::sort(order.begin(), order.end(), [this](std::size_t left, std::size_t right) {
        const auto key = [this](std::size_t index) {
            const Task &task = m_tasks[index];
            return std::tuple(jobOrder(task.job), std::string_view(task.job), task.number);
        };
        return key(left) < key(right);
    });
    std::vector<std::optional<int>> ranks(m_tasks.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank)
        ranks[order[rank]] = static_cast<int>(rank);
    return ranks;
}

std::optional<int> TfTasks::rankOf(const TfDevice &device) const
{
    const Task *const task = find(device);
    if (task == nullptr)
        return std::nullopt;
    if (m_ranks.empty())
        m_ranks = ranks();
    return m_ranks[static_cast<std::size_t>(task - m_tasks.data())];
}

void TfTasks::describeWorkers() const
{
    const std::vector<std::optional<int>> known = ranks();
    for (std::size_t i = 0; i < m_tasks.size(); ++i) {
        WorkerInfo info;
        info.rank = known[i];
        m_sink.describeWorker(m_tasks[i].worker, info);
    }
}

} // namespace core
