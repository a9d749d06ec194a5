#include "tests/collectors/cupti/program_run.h"

#include "collectors/format/record_scanner.h"

#include <QDir>
#include <QFile>

namespace tests {

using namespace collectors;

namespace {

    void take(const RecordView &record, Recording &recording)
    {
        const std::uint32_t thread = record.header.threadId;
        switch (record.header.kind) {
        case RecordFileHeader:
            recording.header = record.as<FileHeader>();
            break;
        case RecordString: {
            const auto bytes = record.after<StringRecord>();
            recording.texts[record.as<StringRecord>().id]
                = std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size());
            break;
        }
        case RecordKernel:
            recording.kernels.push_back(record.as<KernelRecord>());
            break;
        case RecordApiCall:
            recording.calls.emplace_back(thread, record.as<ApiCallRecord>());
            break;
        case RecordMemcpy:
            recording.copies.push_back(record.as<MemcpyRecord>());
            break;
        case RecordMemset:
            recording.memsets.push_back(record.as<MemsetRecord>());
            break;
        case RecordSync:
            recording.syncs.push_back(record.as<SyncRecord>());
            break;
        case RecordGraphLaunch:
            recording.graphLaunches.push_back(record.as<GraphLaunchRecord>());
            break;
        case RecordGraphEdge:
            recording.edges.push_back(record.as<GraphEdgeRecord>());
            break;
        case RecordGraphNode:
            recording.nodes.push_back(record.as<GraphNodeRecord>());
            break;
        case RecordRange:
            recording.ranges.emplace_back(thread, record.as<RangeRecord>());
            break;
        case RecordIteration:
            recording.iterations.push_back(record.as<IterationRecord>());
            break;
        case RecordExternalCorrelation: {
            const auto link = record.as<ExternalCorrelationRecord>();
            recording.externalIds[link.correlation] = link.externalId;
            break;
        }
        case RecordDropped:
            recording.dropped += record.as<DroppedRecord>().count;
            break;
        case RecordEnd:
            recording.isClosed = true;
            break;
        default:
            break;
        }
    }

} // namespace

ProgramRun::ProgramRun()
{
    const QString collector = QStringLiteral(LONGPOLE_CUPTI_COLLECTOR);
    process.setProcessEnvironment(QProcessEnvironment::systemEnvironment());
    set("CUDA_INJECTION64_PATH", collector).set("NVTX_INJECTION64_PATH", collector);
    set("LONGPOLE_LIBCUPTI", QStringLiteral(LONGPOLE_STAND_IN_CUPTI));
    set("LONGPOLE_OUT", folder());
}

ProgramRun &ProgramRun::set(const char *name, const QString &value)
{
    QProcessEnvironment environment = process.processEnvironment();
    environment.insert(QLatin1String(name), value);
    process.setProcessEnvironment(environment);
    return *this;
}

ProgramRun &ProgramRun::unset(const char *name)
{
    QProcessEnvironment environment = process.processEnvironment();
    environment.remove(QLatin1String(name));
    process.setProcessEnvironment(environment);
    return *this;
}

void ProgramRun::start(const QStringList &arguments)
{
    process.start(QStringLiteral(LONGPOLE_CUDA_PROGRAM), arguments);
    process.waitForStarted();
}

int ProgramRun::run(const QStringList &arguments)
{
    start(arguments);
    if (!process.waitForFinished(120'000))
        process.kill();
    errors = QString::fromUtf8(process.readAllStandardError());
    output = QString::fromUtf8(process.readAllStandardOutput());
    const int code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    if (code != ExitCode)
        qWarning("%s", qPrintable(errors));
    return code;
}

QStringList ProgramRun::files() const
{
    return QDir(folder()).entryList({ QStringLiteral("*.lp") }, QDir::Files, QDir::Name);
}

QByteArray ProgramRun::bytes(int index) const
{
    QFile file(folder() + QLatin1Char('/') + files().value(index));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Recording ProgramRun::recording(int index) const
{
    const QByteArray all = bytes(index);
    RecordScanner scanner;
    scanner.feed({ all.constData(), static_cast<std::size_t>(all.size()) });
    scanner.finish();
    Recording recording;
    RecordView record;
    while (scanner.next(record))
        take(record, recording);
    recording.skippedBytes = scanner.skippedBytes();
    return recording;
}

std::vector<std::string> namesOfRanges(const Recording &recording)
{
    std::vector<std::string> names;
    for (const auto &[thread, range] : recording.ranges)
        names.push_back(recording.text(range.name));
    return names;
}

} // namespace tests
