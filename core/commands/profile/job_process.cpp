#include "core/commands/profile/job_process.h"

#include "core/base/error.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace core {

namespace {

    constexpr std::array ForwardedSignals = { SIGINT, SIGTERM };

    volatile std::sig_atomic_t runningJob = 0; ///< process id; a handler has nowhere else to look
    volatile std::sig_atomic_t earlySignal = 0; ///< came to another thread before there was a job

    /// A terminal's Ctrl+C (SI_KERNEL) reaches the job by itself.
    void forwardSignal(int signal, siginfo_t *info, void *)
    {
        if (info->si_code == SI_KERNEL)
            return;
        earlySignal = signal; // before the look: forward() looks the other way round
        if (runningJob > 0) {
            earlySignal = 0;
            ::kill(static_cast<pid_t>(runningJob), signal);
        }
    }

    /// Holds the signals back from its beginning to forward(), then hands them to the job until
    /// its end.
    class SignalForwarding
    {
    public:
        SignalForwarding()
        {
            sigset_t held;
            sigemptyset(&held);
            for (const int signal : ForwardedSignals)
                sigaddset(&held, signal);
            sigprocmask(SIG_BLOCK, &held, &m_mask);
            struct sigaction action = {};
            action.sa_sigaction = forwardSignal;
            action.sa_flags = SA_SIGINFO | SA_RESTART;
            for (std::size_t i = 0; i < ForwardedSignals.size(); ++i)
                sigaction(ForwardedSignals[i], &action, &m_before[i]);
        }
        ~SignalForwarding()
        {
            runningJob = 0;
            earlySignal = 0;
            for (std::size_t i = 0; i < ForwardedSignals.size(); ++i)
                sigaction(ForwardedSignals[i], &m_before[i], nullptr);
            sigprocmask(SIG_SETMASK, &m_mask, nullptr);
        }
        SignalForwarding(const SignalForwarding &) = delete;
        SignalForwarding &operator=(const SignalForwarding &) = delete;

        void forward(pid_t job)
        {
            runningJob = job;
            sigprocmask(SIG_SETMASK, &m_mask, nullptr);
            if (earlySignal != 0)
                ::kill(job, earlySignal);
        }
        const sigset_t &mask() const { return m_mask; }

    private:
        sigset_t m_mask {};
        std::array<struct sigaction, ForwardedSignals.size()> m_before {};
    };

    std::vector<char *> pointersTo(std::vector<std::string> &texts)
    {
        std::vector<char *> pointers;
        pointers.reserve(texts.size() + 1);
        for (std::string &text : texts)
            pointers.push_back(text.data());
        pointers.push_back(nullptr);
        return pointers;
    }

    /// With the signals as a shell gives them: `mask`, and none of those ignored that this program
    /// ignores for itself.
    pid_t startJob(std::vector<std::string> words, const Environment &environment,
                   const sigset_t &mask)
    {
        std::vector<std::string> variables;
        variables.reserve(environment.size());
        for (const auto &[name, value] : environment)
            variables.push_back(name + '=' + value);
        const std::vector<char *> arguments = pointersTo(words), entries = pointersTo(variables);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t defaults;
        sigemptyset(&defaults);
        for (const int signal : { SIGXFSZ, SIGINT, SIGTERM })
            sigaddset(&defaults, signal);
        posix_spawnattr_setsigdefault(&attributes, &defaults);
        posix_spawnattr_setsigmask(&attributes, &mask);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        pid_t job = 0;
        const int error = posix_spawnp(&job, arguments.front(), nullptr, &attributes,
                                       arguments.data(), entries.data());
        posix_spawnattr_destroy(&attributes);
        if (error != 0)
            throw Error("'" + words.front()
                        + "' cannot be started: " + std::generic_category().message(error)
                        + ". Name a program that PATH finds, or its path.");
        return job;
    }

} // namespace

int runJob(const std::vector<std::string> &words, const Environment &environment)
{
    SignalForwarding signals;
    const pid_t job = startJob(words, environment, signals.mask());
    signals.forward(job);
    int status = 0;
    while (waitpid(job, &status, 0) < 0)
        if (errno != EINTR)
            throw Error("The program's end was not told: " + std::string(std::strerror(errno))
                        + ".");
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool startDetached(const std::vector<std::string> &words)
{
    std::vector<std::string> own = words;
    const std::vector<char *> arguments = pointersTo(own);
    pid_t process = 0;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    const int error = posix_spawnp(&process, arguments.front(), nullptr, &attributes,
                                   arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    return error == 0;
}

} // namespace core
