#include "core/change/gradients/schedule.h"

namespace core {

std::string_view scheduleName(Schedule schedule)
{
    switch (schedule) {
    case Schedule::Wfbp:
        return "wfbp";
    case Schedule::Fifo:
        return "fifo";
    case Schedule::P3:
        break;
    }
    return "p3";
}

std::optional<Schedule> scheduleNamed(std::string_view name)
{
    for (const Schedule schedule : { Schedule::Wfbp, Schedule::Fifo, Schedule::P3 })
        if (scheduleName(schedule) == name)
            return schedule;
    return std::nullopt;
}

} // namespace core
