#include "collectors/format/message.h"
#include "collectors/format/signal_guard.h"

#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

using namespace collectors;

namespace {

/// A pipe in place of stderr for as long as this lives.
class StderrPipe
{
public:
    StderrPipe()
        : m_saved(dup(STDERR_FILENO))
    {
        if (pipe(m_ends.data()) == 0)
            dup2(m_ends[1], STDERR_FILENO);
        fcntl(m_ends[0], F_SETFL, O_NONBLOCK);
    }
    ~StderrPipe()
    {
        dup2(m_saved, STDERR_FILENO);
        close(m_saved);
        close(m_ends[1]);
        closeReader();
    }
    StderrPipe(const StderrPipe &) = delete;
    StderrPipe &operator=(const StderrPipe &) = delete;

    void closeReader()
    {
        if (m_ends[0] >= 0)
            close(m_ends[0]);
        m_ends[0] = -1;
    }
    void fill() const
    {
        const std::string much(65536, 'x');
        fcntl(m_ends[1], F_SETFL, O_NONBLOCK);
        while (write(m_ends[1], much.data(), much.size()) > 0) { }
        fcntl(m_ends[1], F_SETFL, 0);
    }
    std::string text() const
    {
        std::array<char, 4096> bytes {};
        const ssize_t size = read(m_ends[0], bytes.data(), bytes.size());
        return std::string(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    }

private:
    int m_saved;
    std::array<int, 2> m_ends { -1, -1 };
};

} // namespace

/// A line on the program's stderr, which does the program no harm.
class MessageTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { qunsetenv("LONGPOLE_QUIET"); }

    void aMessageIsOneLine()
    {
        const StderrPipe pipe;
        errno = 4711;
        say("recording to ", "/traces");
        QCOMPARE(errno, 4711);
        QCOMPARE(pipe.text(), std::string("longpole: recording to /traces\n"));
        say(std::string(5000, 'a'), "b");
        const std::string cut = pipe.text();
        QCOMPARE(cut.size(), std::size_t { 1024 });
        QCOMPARE(cut.back(), '\n');
    }

    void quietIsAnythingButZero_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<bool>("isQuiet");
        QTest::newRow("1") << QByteArray("1") << true;
        QTest::newRow("yes") << QByteArray("yes") << true;
        QTest::newRow("0") << QByteArray("0") << false;
        QTest::newRow("empty") << QByteArray("") << false;
    }
    void quietIsAnythingButZero()
    {
        QFETCH(QByteArray, value);
        QFETCH(bool, isQuiet);
        qputenv("LONGPOLE_QUIET", value);
        const StderrPipe pipe;
        say("text");
        QCOMPARE(pipe.text().empty(), isQuiet);
    }

    /// SIGPIPE's default action would end this program.
    void aStderrThatIsClosedAtTheOtherEndIsNoMatter()
    {
        std::signal(SIGPIPE, SIG_DFL);
        StderrPipe pipe;
        pipe.closeReader();
        errno = 4711;
        say("unheard");
        QCOMPARE(errno, 4711);
    }

    void aStderrThatNobodyEmptiesIsNotWaitedForWithoutEnd()
    {
        const StderrPipe pipe;
        pipe.fill();
        say("unread");
    }

    void aSignalOfTheProgramItselfComesLater()
    {
        static volatile std::sig_atomic_t count = 0;
        std::signal(SIGPIPE, [](int) { count = count + 1; });
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &only, nullptr);
        std::raise(SIGPIPE);
        {
            const SignalGuard guard(SIGPIPE);
        }
        QCOMPARE(static_cast<int>(count), 0);
        pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
        QCOMPARE(static_cast<int>(count), 1);
        {
            const SignalGuard guard(SIGPIPE);
            std::raise(SIGPIPE); // as by a write
        }
        QCOMPARE(static_cast<int>(count), 1);
        std::signal(SIGPIPE, SIG_DFL);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MessageTest)
#include "tst_message.moc"
