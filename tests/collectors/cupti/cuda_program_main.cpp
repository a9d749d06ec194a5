// A program that does one thing with CUDA, as tst_cupti_collector asks. It ends with 3, to see that
// a collector does not change that, and prints what it did.
#include "tests/collectors/cupti/cuda_program.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace collectors;
using tests::CudaProgram;

namespace {

/// Of the threads that a forked child has not, LeakSanitizer would find what was in their hands.
bool isForkedChild = false;

constexpr int ExitCode = 3;
CudaProgram program;

int number(char **arguments, int index, int otherwise)
{
    return arguments[1] != nullptr && arguments[index] != nullptr ? std::atoi(arguments[index])
                                                                  : otherwise;
}

void everything(char **arguments)
{
    program.captureGraph();
    for (int i = 0; i < number(arguments, 2, 100); ++i) {
        if (program.push("step") != 0 || program.push("forward") != 1)
            std::exit(4);
        program.pushExternal(static_cast<std::uint64_t>(1000 + i));
        program.launch();
        if (program.popExternal() != static_cast<std::uint64_t>(1000 + i) || program.pop() != 1
            || program.pop() != 0 || program.pop() != -1)
            std::exit(5);
    }
    program.doEverythingElse();
    std::printf("active %d\n", program.cuptiActive());
}

void launches(char **arguments)
{
    for (int i = 0; i < number(arguments, 2, 100); ++i)
        program.launch();
}

/// Until it is killed.
void forever(char **)
{
    std::printf("running\n");
    std::fflush(stdout);
    for (;;) {
        program.push("step");
        program.launch();
        program.pop();
    }
}

void flood(char **arguments)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { launches(arguments); });
    for (std::thread &thread : threads)
        thread.join();
    std::printf("emitted %llu dropped %llu\n", static_cast<unsigned long long>(program.emitted()),
                static_cast<unsigned long long>(program.dropped()));
}

/// A million records a second, each launch being two; late ones are not made up for.
void rate(char **arguments)
{
    constexpr std::uint64_t NsPerLaunch = 2000;
    const std::uint64_t begin = tests::nowNs();
    const auto count = static_cast<std::uint64_t>(number(arguments, 2, 1000));
    std::uint64_t next = begin;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t now = tests::nowNs();
        for (; now < next; now = tests::nowNs()) { }
        program.launch();
        next = std::max(next, now - 10 * NsPerLaunch) + NsPerLaunch;
    }
    std::printf("emitted %llu in %llu us\n", static_cast<unsigned long long>(program.emitted()),
                static_cast<unsigned long long>((tests::nowNs() - begin) / 1000));
}

void waitUntil(bool isEnabled)
{
    while ((program.isEnabled(cupti::ActivityRuntime) != 0) != isEnabled)
        usleep(1000);
}

/// 10 launches before, 20 in a window that `open` and `close` make, 30 after it.
template <class Open, class Close>
void window(Open open, Close close)
{
    const auto launchSome = [](int count) {
        for (int i = 0; i < count; ++i)
            program.launch();
    };
    launchSome(10);
    open();
    waitUntil(true);
    launchSome(20);
    close();
    waitUntil(false);
    launchSome(30);
}

void windowBySignal(char **)
{
    window([] { std::raise(SIGUSR2); }, [] { std::raise(SIGUSR2); });
}

void windowByCall(char **)
{
    window([] { program.startRecording(); }, [] { program.stopRecording(); });
}

void writeControl(const char *word, const char *path = std::getenv("LONGPOLE_CONTROL"))
{
    std::FILE *file = std::fopen(path, "w");
    std::fputs(word, file);
    std::fclose(file);
}

void windowByFile(char **)
{
    window([] { writeControl("start\n"); }, [] { writeControl("stop\n"); });
}

/// LONGPOLE_CONTROL is relative, and the program goes elsewhere; where the file is it is told.
void windowByFileFromElsewhere(char **arguments)
{
    if (chdir("/") != 0)
        std::exit(4);
    const char *path = arguments[2];
    window([path] { writeControl("start\n", path); }, [path] { writeControl("stop\n", path); });
}

/// LONGPOLE_START=3 LONGPOLE_DURATION=4: waits for the window at both ends.
void windowByIterations(char **)
{
    for (int i = 0; i < 12; ++i) {
        program.mark(static_cast<std::uint64_t>(i));
        if (i == 3 || i == 7)
            waitUntil(i == 3);
        program.launch();
    }
}

void nvtxOfManyThreads(char **arguments)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&, i] {
            const std::string name = "thread " + std::to_string(i);
            for (int k = 0; k < number(arguments, 2, 100); ++k) {
                program.push(name.c_str());
                program.pop();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
}

template <class Function>
Function *nvtxFunction(nvtx::FunctionPointer pointer)
{
    return reinterpret_cast<Function *>(pointer);
}

/// Domains, registered strings, wide texts, ranges that another thread ends.
void nvtxOfAllSorts(char **)
{
    void *domain = nvtxFunction<void *(const char *)>(program.domains[nvtx::DomainCreateA])("NCCL");
    void *text = nvtxFunction<void *(void *, const char *)>(
        program.domains[nvtx::DomainRegisterStringA])(domain, "ncclAllReduce");
    const auto registerAgain
        = nvtxFunction<void *(void *, const char *)>(program.domains[nvtx::DomainRegisterStringA]);
    if (registerAgain(domain, "ncclAllReduce") != text || registerAgain(domain, "other") == text)
        std::exit(4);
    nvtx::EventAttributes event {};
    event.version = 3;
    event.size = sizeof(event);
    event.colorType = nvtx::ColorArgb;
    event.color = 0xFF00FF00;
    event.messageType = nvtx::MessageRegistered;
    event.message = text;
    const auto push = nvtxFunction<int(void *, const nvtx::EventAttributes *)>(
        program.domains[nvtx::DomainRangePushEx]);
    const auto pop = nvtxFunction<int(void *)>(program.domains[nvtx::DomainRangePop]);
    if (program.push("outer") != 0 || push(domain, &event) != 0 || program.pop() != 0
        || pop(domain) != 0 || pop(domain) != -1)
        std::exit(4);
    nvtxFunction<int(const wchar_t *)>(program.core[nvtx::RangePushW])(L"\u00fcber\U0001F600");
    program.pop();
    nvtxFunction<void(const char *)>(program.core[nvtx::MarkA])("moment");
    const std::uint64_t range
        = nvtxFunction<std::uint64_t(const char *)>(program.core[nvtx::RangeStartA])("shared");
    std::thread([range] {
        nvtxFunction<void(std::uint64_t)>(program.core[nvtx::RangeEnd])(range);
        nvtxFunction<void(std::uint64_t)>(program.core[nvtx::RangeEnd])(range); // once only
    }).join();
    program.push("never ended");
}

/// Programs look at errno after what an annotation comes in between.
void keepErrno(char **)
{
    constexpr int Own = 4711;
    errno = Own;
    program.push("range");
    program.mark(1);
    program.launch();
    program.pop();
    nvtxFunction<void(const char *)>(program.core[nvtx::MarkA])("moment");
    if (errno != Own)
        std::exit(4);
}

std::vector<pthread_key_t> takeAllKeys()
{
    std::vector<pthread_key_t> keys;
    pthread_key_t key {};
    while (pthread_key_create(&key, nullptr) == 0)
        keys.push_back(key);
    return keys;
}

/// All keys are the program's, and what it keeps under them stays.
void keepKeys(const std::vector<pthread_key_t> &keys)
{
    int mine = 0;
    for (const pthread_key_t key : keys)
        pthread_setspecific(key, &mine);
    program.push("range");
    program.pop();
    program.launch();
    for (const pthread_key_t key : keys)
        if (pthread_getspecific(key) != &mine)
            std::exit(4);
}

/// The child goes on as if nothing were there, and then starts CUDA itself where that is asked.
void forks(char **arguments)
{
    program.launch();
    program.push("in both");
    program.mark(1);
    const pid_t child = fork();
    if (child == 0) {
        isForkedChild = true;
        program.pop();
        program.push("in the child");
        program.pop();
        program.launch();
        if (number(arguments, 2, 0) != 0) {
            program.start();
            program.push("recorded by the child");
            program.pop();
            program.mark(2);
            program.mark(3);
        }
        std::exit(ExitCode);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != ExitCode)
        std::exit(4);
    program.pop();
    program.launch();
}

/// The next program is of the same process.
void execs(char **arguments)
{
    program.launch();
    std::string self = arguments[0];
    std::string mode = "launches";
    std::string count = "5";
    char *const next[] = { self.data(), mode.data(), count.data(), nullptr };
    execv(self.c_str(), next);
    std::exit(4);
}

} // namespace

/// LeakSanitizer asks at the end; nobody does otherwise.
extern "C" int
__lsan_is_turned_off() // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
{
    return isForkedChild ? 1 : 0;
}

int main(int, char **arguments)
{
    const std::map<std::string, void (*)(char **)> modes
        = { { "everything", &everything },
            { "launches", &launches },
            { "forever", &forever },
            { "flood", &flood },
            { "rate", &rate },
            { "signal", &windowBySignal },
            { "call", &windowByCall },
            { "file", &windowByFile },
            { "iterations", &windowByIterations },
            { "nvtx", &nvtxOfAllSorts },
            { "nvtx-threads", &nvtxOfManyThreads },
            { "file-elsewhere", &windowByFileFromElsewhere },
            { "errno", &keepErrno },
            { "forks", &forks },
            { "execs", &execs } };
    if (arguments[1] != nullptr && std::string(arguments[1]) == "keys") {
        const std::vector<pthread_key_t> keys = takeAllKeys();
        program.start();
        keepKeys(keys);
        return ExitCode;
    }
    const auto mode = modes.find(arguments[1] != nullptr ? arguments[1] : "");
    if (mode == modes.end())
        return 2;
    program.start();
    mode->second(arguments);
    return ExitCode;
}
