#include "core/commands/profile/profile_command.h"

#include "core/base/error.h"
#include "core/commands/input_files.h"
#include "core/commands/profile/collector_files.h"
#include "core/commands/profile/job_process.h"
#include "core/commands/profile/recorded_bundle.h"
#include "core/commands/profile/recording_folder.h"
#include "core/commands/text/diagnostic_lines.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <ostream>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    constexpr unsigned MostIterations = 100'000;

    /// Where there is a display, and the window beside this program.
    std::optional<fs::path> windowProgram(const Environment &own)
    {
        if (!own.contains("DISPLAY") && !own.contains("WAYLAND_DISPLAY"))
            return std::nullopt;
        std::error_code error;
        const fs::path window
            = fs::read_symlink("/proc/self/exe", error).parent_path() / "longpole-ui";
        return !error && fs::exists(window, error) ? std::optional(window) : std::nullopt;
    }

    /// Open MPI hands variables to other hosts only where it is told to.
    bool needsExport(const std::vector<std::string> &program)
    {
        constexpr std::array<std::string_view, 5> HostOptions
            = { "-H", "--host", "-host", "--hostfile", "-hostfile" };
        const std::string launcher = fs::path(program.front()).filename().string();
        return (launcher == "mpirun" || launcher == "mpiexec" || launcher == "orterun")
            && std::find_first_of(program.begin(), program.end(), HostOptions.begin(),
                                  HostOptions.end())
            != program.end();
    }

    /// As the recorders are, which have the variable, too.
    bool isQuiet(const Environment &own)
    {
        const auto found = own.find("LONGPOLE_QUIET");
        return found != own.end() && !found->second.empty() && found->second != "0";
    }

    void tellBefore(std::ostream &lines, const RecordingOptions &options,
                    const CollectorFiles &collectors, const Environment &own,
                    const std::vector<std::string> &program)
    {
        lines << "longpole: records into " << options.folder.string() << "\n";
        for (const std::string &line : recordingAbilities(own, collectors, hasNvidiaDriver()))
            lines << "longpole:   " << line << "\n";
        if (needsExport(program))
            lines << "longpole: ranks on other hosts are recorded only if mpirun exports the "
                     "variables (-x PYTHONPATH -x LONGPOLE_OUT -x LONGPOLE_AUTO) or starts "
                     "`longpole profile` itself: mpirun ... longpole profile -o FOLDER -- "
                     "PROGRAM\n";
        lines << std::flush;
    }

} // namespace

void ProfileCommand::declare(CLI::App &app)
{
    app.add_option("-o,--output", m_folder, "Folder for the recording; empty, or not there yet")
        ->required();
    app.add_option("program", m_program,
                   "After --: the program and its arguments, as without longpole (python, "
                   "torchrun, mpirun ...)")
        ->required();
    app.add_option("--iterations", m_iterations, "Iterations to record (default: 6)")
        ->check(CLI::Range(1U, MostIterations));
    app.add_option("--warmup", m_warmup, "Iterations before, not recorded (default: 5)")
        ->check(CLI::Range(1U, MostIterations));
    app.add_flag("--memory", m_withMemory, "Record allocations, too");
    app.add_flag("--execution-trace", m_withExecutionTrace,
                 "Record PyTorch's execution trace, too: which op uses what another one made");
    app.add_flag("--append", m_append,
                 "The folder has recordings of other hosts of the same job already");
    app.add_flag("--import", m_import,
                 "Import the recording into FOLDER.longpole and open it when the job has ended");
}

void ProfileCommand::spareProject() const
{
    std::error_code error;
    if (m_import && fs::exists(projectPath(), error))
        throw Error("The project that --import would write exists already. Move it away, or record "
                    "into another folder.",
                    { projectPath().string(), {} });
}

RecordingOptions ProfileCommand::options() const
{
    RecordingOptions options;
    options.folder = fs::canonical(m_folder);
    if (m_iterations > 0)
        options.iterations = m_iterations;
    if (m_warmup > 0)
        options.warmup = m_warmup;
    options.withMemory = m_withMemory;
    options.withExecutionTrace = m_withExecutionTrace;
    return options;
}

fs::path ProfileCommand::projectPath() const
{
    fs::path folder = m_folder.lexically_normal();
    if (!folder.has_filename())
        folder = folder.parent_path(); // "traces/"
    if (folder.empty() || folder == "." || folder == "..")
        folder = fs::weakly_canonical(m_folder);
    return folder += ".longpole";
}

int ProfileCommand::run(const CommandIo &io)
{
    const Environment own = ownEnvironment();
    spareProject();
    // Under a launcher every rank runs this command, with one folder for all.
    const RecordingFolder claimed(m_folder, m_append || rankOfLauncher(own));
    const RecordedBundle before = lookAtBundle(m_folder);
    const RecordingOptions wanted = options();
    const CollectorFiles collectors = findCollectors(collectorFolders());
    const Environment environment = recordingEnvironment(own, collectors, wanted);
    if (isBytePs(own)) // it makes only the folder of each GPU itself
        fs::create_directories(environment.at("BYTEPS_TRACE_DIR"));
    const bool isFirst = rankOfLauncher(own).value_or(0) == 0;
    std::ostream silent(nullptr);
    std::ostream &lines = isQuiet(own) ? silent : io.err;
    if (isFirst)
        tellBefore(lines, wanted, collectors, own, m_program);
    const int code = runJob(m_program, environment);
    return isFirst ? finish(io, lines, before, code) : code;
}

int ProfileCommand::finish(const CommandIo &io, std::ostream &lines, const RecordedBundle &before,
                           int code) const
{
    const RecordedBundle bundle = lookAtBundle(m_folder);
    for (const std::string &line : bundleLines(bundle, m_folder, before))
        lines << "longpole: " << line << "\n";
    if (bundle.files == 0)
        return code;
    if (m_import) {
        const int imported = importAndOpen(io);
        return code != 0 ? code : imported;
    }
    lines << "longpole: next: longpole import " << m_folder.string() << " -o "
          << projectPath().string() << "\n";
    return code;
}

int ProfileCommand::importAndOpen(const CommandIo &io) const
{
    const fs::path project = projectPath();
    const ImportReport report = importBundle({ m_folder }, project, {}, io.control);
    for (const std::string &line : diagnosticLines(report.diagnostics))
        io.err << line << "\n";
    io.err << project.string() << ": " << headline(ProjectReader(project).info()) << "\n";
    const auto window = windowProgram(ownEnvironment());
    if (!window || !startDetached({ window->string(), project.string() }))
        io.err << "longpole: next: longpole diagnose " << project.string() << "\n";
    return report.hasSkippedInput ? InputSkipped : Done;
}

} // namespace core
