#pragma once

/* What Longpole's collectors write and core/import reads: see README.md. Plain C, so that a
 * collector in any language can write it. All numbers are little-endian; all times are nanoseconds
 * of CLOCK_REALTIME unless a field says otherwise; string fields are ids of String records, 0 for
 * none; a record may be longer than its struct is here (fields of later minor versions) and then
 * has its variable part after what FileHeader.minorVersion says it has. */

#include <stdint.h> /* NOLINT(modernize-deprecated-headers): C */

#ifdef __cplusplus
namespace collectors {
extern "C" {
#endif

#define LONGPOLE_FILE_MAGIC "LPREC\x1a\r\n" /* the first 8 bytes of a file */
#define LONGPOLE_MAJOR_VERSION 1 /* another one: refuse to read */
#define LONGPOLE_MINOR_VERSION 1 /* a larger one: records have more fields at their end */

enum { LongpoleMarker = 0x504C, LongpoleRecordAlignment = 16, LongpoleMaximumPayload = 65520 };

/* Before every record. Records follow each other without gaps, padded with zeros to a multiple of
 * 16 bytes. */
typedef struct RecordHeader
{
    uint16_t marker; /* LongpoleMarker */
    uint16_t payloadBytes; /* without header and padding */
    uint32_t threadId; /* that the record is about (Linux tid); 0: none */
    uint8_t kind; /* RecordKind */
    uint8_t reserved; /* 0 */
    uint16_t headerCheck; /* low half of CRC-32C of the 10 bytes before */
    uint32_t payloadCheck; /* CRC-32C of the payload without padding */
} RecordHeader;

typedef enum RecordKind {
    RecordSkip = 0, /* filler of a buffer; never in a file */
    RecordFileHeader = 1, /* once, first */
    RecordClockPair = 2,
    RecordString = 3,
    RecordKernel = 4,
    RecordMemcpy = 5,
    RecordMemset = 6,
    RecordApiCall = 7,
    RecordRange = 8,
    RecordSync = 9,
    RecordGraphLaunch = 10,
    RecordGraphEdge = 11,
    RecordExternalCorrelation = 12,
    RecordCommunicator = 13,
    RecordCollective = 14,
    RecordPointToPoint = 15,
    RecordProxyOp = 16,
    RecordProxyStep = 17,
    RecordKernelChannel = 18,
    RecordBucket = 19,
    RecordBucketAllReduce = 20,
    RecordPushPull = 21,
    RecordIteration = 22,
    RecordMemory = 23,
    RecordDropped = 24,
    RecordEnd = 25, /* last, if the process ended regularly */
    RecordGraphNode = 26, /* since 1.1 */
    RecordLargestKind = 255, /* no record: a kind is one byte */
} RecordKind;

typedef enum CollectorKind {
    CollectorCupti = 1,
    CollectorNvtx = 2,
    CollectorNccl = 3,
    CollectorFramework = 4,
} CollectorKind;

enum { FileHasRank = 1, FileHasWorldSize = 2, FileHasLocalRank = 4 }; /* FileHeader.flags */

typedef struct FileHeader
{
    uint16_t majorVersion, minorVersion;
    uint32_t collector; /* CollectorKind */
    uint32_t flags; /* which of the next three are known */
    uint32_t rank, worldSize, localRank;
    uint32_t processId;
    uint32_t reserved;
    char hostName[64]; /* these end with a zero byte */
    char bootId[40]; /* /proc/sys/kernel/random/boot_id: equal for processes that share clocks */
    char processName[64];
} FileHeader;

typedef enum ClockId {
    ClockRealtime = 0, /* numbers of clock_gettime(2) */
    ClockMonotonic = 1,
    ClockMonotonicRaw = 4,
    ClockBoottime = 7,
    ClockGpu = 64, /* %globaltimer of device */
} ClockId;

/* Two clocks read at one moment, at the start, every 10 s, and at the end. */
typedef struct ClockPair
{
    uint32_t clockA, clockB; /* ClockId */
    int64_t timeA, timeB; /* ns of each */
    uint32_t device; /* for ClockGpu */
    uint32_t uncertaintyNs; /* B was read at timeA +- this */
} ClockPair;

/* The text follows: payloadBytes - sizeof(StringRecord) bytes of UTF-8. Comes before its first use
 * in the same thread's records, but may come after uses in other threads' records. */
typedef struct StringRecord
{
    uint32_t id; /* from 1 on; an id keeps its text */
    uint32_t reserved;
} StringRecord;

typedef struct KernelRecord
{
    int64_t start, end; /* both 0: the time was lost */
    uint64_t correlation; /* of the call that launched it */
    uint64_t graphNode; /* 0: not of a CUDA graph */
    uint32_t device, context, stream;
    uint32_t name; /* mangled */
    uint32_t graph;
    uint32_t grid[3], block[3];
    uint32_t registersPerThread, staticSharedBytes, dynamicSharedBytes;
} KernelRecord;

typedef enum MemcpyKind {
    MemcpyOther = 0,
    MemcpyHostToDevice = 1,
    MemcpyDeviceToHost = 2,
    MemcpyDeviceToDevice = 3,
    MemcpyPeerToPeer = 4,
    MemcpyHostToHost = 5,
} MemcpyKind;

typedef struct MemcpyRecord
{
    int64_t start, end;
    uint64_t correlation, graphNode, bytes;
    uint32_t device, context, stream;
    uint32_t copyKind; /* MemcpyKind */
    uint32_t destinationDevice; /* for MemcpyPeerToPeer */
    uint32_t graph;
} MemcpyRecord;

typedef struct MemsetRecord
{
    int64_t start, end;
    uint64_t correlation, graphNode, bytes;
    uint32_t device, context, stream, value;
} MemsetRecord;

typedef struct ApiCallRecord
{
    int64_t start, end;
    uint64_t correlation;
    uint32_t name; /* "cudaLaunchKernel" */
    uint32_t isDriver; /* 1: cu..., 0: cuda... */
    int32_t returnValue;
    uint32_t reserved;
} ApiCallRecord;

/* An NVTX range, or another named range of a host thread. */
typedef struct RangeRecord
{
    int64_t start, end;
    uint32_t name, domain;
    uint32_t endThreadId; /* where a start-end range was ended; else 0 */
    uint32_t color; /* ARGB; 0: none */
} RangeRecord;

typedef enum SyncKind {
    SyncEvent = 1, /* the host waits for an event */
    SyncStreamWaitsForEvent = 2, /* stream waits for the event that waitedCorrelation recorded */
    SyncStream = 3, /* the host waits for a stream */
    SyncContext = 4, /* the host waits for a device */
} SyncKind;

enum { SyncHasStream = 1 }; /* SyncRecord.flags */

typedef struct SyncRecord
{
    int64_t start, end;
    uint64_t correlation;
    uint64_t waitedCorrelation; /* 0: unknown */
    uint32_t syncKind; /* SyncKind */
    uint32_t flags;
    uint32_t device, context, stream;
    uint32_t event;
} SyncRecord;

/* A launch of a CUDA graph as one activity. */
typedef struct GraphLaunchRecord
{
    int64_t start, end;
    uint64_t correlation;
    uint32_t device, context, stream, graph;
} GraphLaunchRecord;

typedef struct GraphEdgeRecord
{
    uint64_t fromNode, toNode;
    uint32_t graph, reserved;
} GraphEdgeRecord;

typedef struct ExternalCorrelationRecord
{
    uint64_t correlation, externalId;
    uint32_t externalKind, reserved; /* as CUPTI numbers it */
} ExternalCorrelationRecord;

typedef struct CommunicatorRecord
{
    uint64_t communicator; /* equal on all ranks, one per run */
    uint32_t name;
    uint32_t rank, rankCount, nodeCount; /* rank: of this communicator */
    uint32_t device, reserved;
} CommunicatorRecord;

enum { TimeOnDeviceKnown = 1 }; /* CollectiveRecord.flags, PointToPointRecord.flags */

typedef struct CollectiveRecord
{
    int64_t start, end; /* on the host: enqueued */
    int64_t deviceStart, deviceEnd; /* from the first kernel channel or network step to the last */
    uint64_t communicator;
    uint64_t sequence; /* of this function on this communicator */
    uint64_t count, bytes;
    uint64_t correlation; /* of the kernel launch; 0: unknown */
    uint32_t function; /* "AllReduce" */
    uint32_t datatype, algorithm, protocol; /* "ncclFloat32", "RING", "SIMPLE" */
    uint32_t rank; /* of the communicator */
    uint32_t root, channels, flags;
} CollectiveRecord;

typedef struct PointToPointRecord
{
    int64_t start, end;
    int64_t deviceStart, deviceEnd;
    uint64_t communicator;
    uint64_t number; /* among those from the same rank to the same rank on this communicator */
    uint64_t count, bytes;
    uint64_t correlation;
    uint32_t isSend;
    uint32_t datatype;
    uint32_t rank, peer;
    uint32_t channels, flags;
} PointToPointRecord;

/* What a network operation or channel belongs to: a collective, or (function 0) a send or receive.
 */
typedef struct OperationKey
{
    uint64_t communicator;
    uint64_t sequence; /* or number */
    uint32_t function;
    uint32_t rank; /* that does it */
} OperationKey;

typedef struct ProxyOpRecord
{
    OperationKey operation;
    int64_t start, progress, end; /* progress: it left the queue; end 0: never reported */
    uint64_t bytes; /* of all steps */
    uint32_t channel, peer, steps, isSend;
} ProxyOpRecord;

/* One chunk that is sent or received. Both ends have the same operation, channel and step. */
typedef struct ProxyStepRecord
{
    OperationKey operation;
    int64_t start;
    uint64_t bytes; /* on the wire, protocol flags included */
    uint32_t channel, peer, step, isSend;
    /* Nanoseconds after start at which each state began, at least 1; 0: it did not begin.
     * Send: GPU wait, peer wait, on the wire. Receive: wait, flush, GPU wait. */
    uint32_t stateNs[3];
    uint32_t endNs; /* after start */
} ProxyStepRecord;

typedef struct KernelChannelRecord
{
    OperationKey operation;
    int64_t start, end; /* when the host saw it; end 0: never reported */
    uint64_t gpuStart, gpuEnd; /* ClockGpu; 0: unknown */
    uint32_t channel, device;
} KernelChannelRecord;

/* parameterCount BucketParameters follow. A bucket whose layout changes is written again. */
typedef struct BucketRecord
{
    uint64_t bytes;
    uint32_t index, parameterCount;
    uint32_t datatype, reserved;
} BucketRecord;

typedef struct BucketParameter
{
    uint64_t bytes;
    uint32_t name, reserved;
} BucketParameter;

typedef struct BucketAllReduceRecord
{
    int64_t start, end;
    uint64_t bytes;
    uint64_t iteration;
    uint32_t index, reserved;
} BucketAllReduceRecord;

/* A tensor on its way to a parameter server (push) or back (pull). */
typedef struct PushPullRecord
{
    int64_t start, end;
    uint64_t bytes;
    uint64_t key; /* of the partition on the server */
    uint32_t tensor;
    uint32_t isPush;
    uint32_t server, reserved;
} PushPullRecord;

typedef struct IterationRecord
{
    int64_t start, end;
    uint64_t index;
} IterationRecord;

enum { MemoryOnDevice = 1 }; /* MemoryRecord.flags; else the host's memory */

typedef struct MemoryRecord
{
    int64_t time;
    uint64_t address;
    int64_t deltaBytes; /* negative: released */
    uint64_t allocatedBytes, reservedBytes; /* after it; 0: unknown */
    uint32_t device, flags;
} MemoryRecord;

/* Records that found no room between the previous record of this kind and this one. */
typedef struct DroppedRecord
{
    int64_t time;
    uint64_t count;
} DroppedRecord;

typedef struct EndRecord
{
    int64_t time;
} EndRecord;

/* A node of a CUDA graph. Kernels name the nodes of the instantiated graph, which are copies of
 * those that edges are between. Since 1.1. */
typedef struct GraphNodeRecord
{
    uint64_t node;
    uint64_t originalNode; /* that it is a copy of; 0: of none */
    uint32_t graph;
    uint32_t nodeKind; /* as CUDA numbers it: 0 kernel, 1 memcpy, 2 memset, 3 host, 4 graph, ... */
} GraphNodeRecord;

#ifdef __cplusplus
} // extern "C"

static_assert(sizeof(RecordHeader) == 16);
static_assert(sizeof(FileHeader) == 200);
static_assert(sizeof(ClockPair) == 32);
static_assert(sizeof(StringRecord) == 8);
static_assert(sizeof(KernelRecord) == 88);
static_assert(sizeof(MemcpyRecord) == 64);
static_assert(sizeof(MemsetRecord) == 56);
static_assert(sizeof(ApiCallRecord) == 40);
static_assert(sizeof(RangeRecord) == 32);
static_assert(sizeof(SyncRecord) == 56);
static_assert(sizeof(GraphLaunchRecord) == 40);
static_assert(sizeof(GraphEdgeRecord) == 24);
static_assert(sizeof(ExternalCorrelationRecord) == 24);
static_assert(sizeof(CommunicatorRecord) == 32);
static_assert(sizeof(CollectiveRecord) == 104);
static_assert(sizeof(PointToPointRecord) == 96);
static_assert(sizeof(OperationKey) == 24);
static_assert(sizeof(ProxyOpRecord) == 72);
static_assert(sizeof(ProxyStepRecord) == 72);
static_assert(sizeof(KernelChannelRecord) == 64);
static_assert(sizeof(BucketRecord) == 24);
static_assert(sizeof(BucketParameter) == 16);
static_assert(sizeof(BucketAllReduceRecord) == 40);
static_assert(sizeof(PushPullRecord) == 48);
static_assert(sizeof(IterationRecord) == 24);
static_assert(sizeof(MemoryRecord) == 48);
static_assert(sizeof(DroppedRecord) == 16);
static_assert(sizeof(EndRecord) == 8);
static_assert(sizeof(GraphNodeRecord) == 24);

} // namespace collectors
#endif
