#include "core/commands/strategy_option.h"

#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/change_text.h"
#include "core/optimize/strategy_file.h"

#include <CLI/CLI.hpp>

#include <ostream>

namespace core {

void StrategyOption::declare(CLI::App &app, const std::string &meaning)
{
    app.add_option("--set", m_settings, "KEY=VALUE: " + meaning + ". Keys: " + changeKeysText())
        ->allow_extra_args(false);
    app.add_option("--strategy", m_file,
                   "Strategy file of 'longpole optimize': " + meaning + ". --set comes on top");
}

void StrategyOption::check() const
{
    parseStrategy(m_settings);
}

Strategy StrategyOption::strategy(const MeasuredJob &job, const CommandIo &io) const
{
    Strategy settings = parseStrategy(m_settings);
    if (m_file.empty())
        return settings;
    const StrategyFile file = readStrategy(m_file, settings, job);
    for (const std::string &note : file.notes)
        io.err << m_file.string() << ": " << note << "\n";
    return file.strategy;
}

} // namespace core
