#pragma once

#include "core/commands/command.h"
#include "core/commands/profile/recorded_bundle.h"
#include "core/commands/profile/recording_environment.h"

#include <filesystem>
#include <string>
#include <vector>

namespace core {

class ProfileCommand : public Command
{
public:
    std::string_view name() const override { return "profile"; }
    std::string_view summary() const override
    {
        return "Runs a training job, records some of its iterations and hands on its exit code";
    }
    void declare(CLI::App &app) override;
    int run(const CommandIo &io) override;

private:
    /// Throws Error if what --import would write is there already.
    void spareProject() const;
    RecordingOptions options() const;
    /// -> exit code of the whole, where the job's is `code`. `lines`: where what this command
    /// itself says goes.
    int finish(const CommandIo &io, std::ostream &lines, const RecordedBundle &before,
               int code) const;
    /// -> exit code. Opens the window where there is one.
    int importAndOpen(const CommandIo &io) const;
    /// Beside the folder.
    std::filesystem::path projectPath() const;

    std::filesystem::path m_folder;
    std::vector<std::string> m_program; ///< and its arguments
    unsigned m_iterations = 0, m_warmup = 0; ///< 0: not given
    bool m_withMemory = false, m_withExecutionTrace = false;
    bool m_append = false, m_import = false;
};

} // namespace core
