// Holds thousands of event streams on one thread and notes when they are told; or writes objects and notes when each
// write is answered. Times are nanoseconds of CLOCK_MONOTONIC, which other programs on this machine share.
//
//   streams follow PORT      standard input: a line for each stream, "GROUP LAST-EVENT-ID|- TARGET [TOKEN]", and an
//                            empty line. GROUP 0 to 3: what is told is noted; r: it is only read; n: it is not read.
//                            Then commands: "report" answers with a line of JSON, "clear" forgets what was told,
//                            "read" reads what was not read.
//   streams write PORT CONNECTIONS RATE SECONDS OBJECTS SEED [TOKEN]
//                            PUTs of random objects, RATE a second, or as many as go with 0; then a line of
//                            "VERSION REPLIED AGE" for each.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { GROUPS = 4, LINE = 256, BLOCK = 1 << 18, EVENTS = 512 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static int connected(int port) {
    int one = 1, found = socket(AF_INET, SOCK_STREAM, 0);
    if (found < 0) fail("socket");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(found, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    setsockopt(found, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return found;
}

static void sendAll(int descriptor, const char *text, size_t count) {
    while (count > 0) {
        ssize_t sent = send(descriptor, text, count, MSG_NOSIGNAL);
        if (sent < 0) fail("send");
        text += sent;
        count -= (size_t)sent;
    }
}

// What was told: for each version how many streams, the first time and the last.

struct told { uint64_t version; int64_t first, last; uint32_t count; };
struct table { struct told *entries; size_t count, capacity; };
static struct table tables[GROUPS];

// Versions mostly come in order: the entry is one of the last.
static void note(struct table *table, uint64_t version, int64_t time) {
    for (size_t index = table->count; index > 0; index--) {
        struct told *entry = &table->entries[index - 1];
        if (entry->version == version) {
            entry->last = time;
            entry->count++;
            return;
        }
        if (entry->version < version) break;
    }
    if (table->count == table->capacity) {
        table->capacity = table->capacity ? 2 * table->capacity : 1024;
        table->entries = realloc(table->entries, table->capacity * sizeof *table->entries);
        if (!table->entries) fail("realloc");
    }
    table->entries[table->count++] = (struct told){version, time, time, 1};
}

// Following.

struct stream {
    int descriptor;
    char group;
    bool isHead, isChunked, isOpen, isUpToDate, isEnded, hasID;
    char event;
    uint64_t size, left, id;
    unsigned lineCount;
    char line[LINE];
};

static struct stream *streams;
static size_t streamCount, openCount, upToDateCount, endedCount, refusedCount, resetCount, errorCount;
static uint64_t byteCount, eventCount;
static int64_t upToDateTime, openTime, time_;

static void dispatch(struct stream *stream) {
    eventCount += stream->event != 0;
    if (stream->event == 'h' && !stream->isOpen) {
        stream->isOpen = true;
        openCount++;
        openTime = time_;
    } else if (stream->event == 'u') {
        if (!stream->isUpToDate) upToDateCount++;
        stream->isUpToDate = true;
        upToDateTime = time_;
    } else if (stream->event == 'r') {
        resetCount++;
        if (stream->isUpToDate) upToDateCount--;
        stream->isUpToDate = false;
    } else if (stream->event == 'e') {
        errorCount++;
    }
    // A stream that a worker brings to the present has its id in `upToDate`, behind changes without one.
    bool tells = stream->event == 'c' || stream->event == 'u';
    if (tells && stream->hasID && stream->group >= '0' && stream->group < '0' + GROUPS) {
        note(&tables[stream->group - '0'], stream->id, time_);
    }
    stream->event = 0;
    stream->hasID = false;
}

static void lineEnd(struct stream *stream) {
    char *line = stream->line;
    unsigned count = stream->lineCount;
    if (count > 0 && line[count - 1] == '\r') count--;
    line[count] = 0;
    stream->lineCount = 0;
    if (stream->isHead) {
        if (strncmp(line, "HTTP/1.1 ", 9) == 0 && strncmp(line + 9, "200", 3) != 0) refusedCount++;
        if (strncasecmp(line, "transfer-encoding: chunked", 26) == 0) stream->isChunked = true;
        if (count == 0) stream->isHead = false;
    } else if (count == 0) {
        dispatch(stream);
    } else if (strncmp(line, "event: ", 7) == 0) {
        stream->event = line[7];
    } else if (strncmp(line, "id: ", 4) == 0) {
        const char *dash = strrchr(line, '-');
        stream->hasID = dash != NULL;
        stream->id = dash ? strtoull(dash + 1, NULL, 10) : 0;
    } else if (stream->event == 'e') {
        fprintf(stderr, "an error: %s\n", line);
    }
}

// Takes lines; of a long one the beginning is enough. In the head it ends with the head.
static size_t lines(struct stream *stream, const char *bytes, size_t count) {
    size_t position = 0;
    bool wasHead = stream->isHead;
    while (position < count && stream->isHead == wasHead) {
        const char *end = memchr(bytes + position, '\n', count - position);
        size_t part = (end ? (size_t)(end - bytes) : count) - position;
        size_t room = LINE - 1 - stream->lineCount, kept = part < room ? part : room;
        memcpy(stream->line + stream->lineCount, bytes + position, kept);
        stream->lineCount += (unsigned)kept;
        position += part;
        if (end) {
            position++;
            lineEnd(stream);
        }
    }
    return position;
}

// `left` counts a chunk's data and the line end behind it; 0 before a chunk's size.
static void take(struct stream *stream, const char *bytes, size_t count) {
    size_t position = 0;
    byteCount += count;
    while (position < count) {
        if (stream->isHead || !stream->isChunked) {
            position += lines(stream, bytes + position, count - position);
        } else if (stream->left > 2) {
            size_t part = count - position < stream->left - 2 ? count - position : (size_t)stream->left - 2;
            lines(stream, bytes + position, part);
            position += part;
            stream->left -= part;
        } else if (stream->left > 0) {
            position++;
            stream->left--;
        } else {
            // A chunk's size may come in two parts.
            char one = bytes[position++];
            if (one == '\n') {
                stream->left = stream->size + 2;
                stream->size = 0;
            } else if (one != '\r') {
                int digit = one <= '9' ? one - '0' : (one | 32) - 'a' + 10;
                stream->size = stream->size * 16 + (uint64_t)digit;
            }
        }
    }
}

// Standard input, by lines: what came with the targets may hold a command already.
static char input[1 << 16];
static size_t inputCount;

static bool readInput(void) {
    ssize_t count = read(STDIN_FILENO, input + inputCount, sizeof input - inputCount);
    if (count > 0) inputCount += (size_t)count;
    return count > 0;
}

// Whether a whole line was there; it is without its line end then.
static bool inputLine(char *line, size_t size) {
    char *end = memchr(input, '\n', inputCount);
    if (!end || (size_t)(end - input) >= size) return false;
    size_t count = (size_t)(end - input);
    memcpy(line, input, count);
    line[count] = 0;
    inputCount -= count + 1;
    memmove(input, end + 1, inputCount);
    return true;
}

// The header that brings a token; empty without one.
static const char *authorization(const char *token) {
    static char header[2048];
    header[0] = 0;
    if (*token) snprintf(header, sizeof header, "Authorization: Bearer %s\r\n", token);
    return header;
}

static void open_(struct stream *stream, int port, const char *lastID, const char *target, const char *token) {
    char request[8192];
    int count = snprintf(request, sizeof request,
                         "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n%s%s%s%s\r\n", target,
                         authorization(token), *lastID == '-' ? "" : "Last-Event-ID: ", *lastID == '-' ? "" : lastID,
                         *lastID == '-' ? "" : "\r\n");
    stream->descriptor = connected(port);
    stream->isHead = true;
    sendAll(stream->descriptor, request, (size_t)count);
    fcntl(stream->descriptor, F_SETFL, O_NONBLOCK);
}

static void watch(int poll, size_t index) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, streams[index].descriptor, &event) != 0) fail("epoll_ctl");
}

static void report(void) {
    printf("{\"streams\":%zu,\"open\":%zu,\"openTime\":%lld,\"upToDate\":%zu,\"upToDateTime\":%lld,\"ended\":%zu,"
           "\"refused\":%zu,\"resets\":%zu,\"errors\":%zu,\"bytes\":%llu,\"events\":%llu,\"told\":[",
           streamCount, openCount, (long long)openTime, upToDateCount, (long long)upToDateTime, endedCount,
           refusedCount, resetCount, errorCount, (unsigned long long)byteCount, (unsigned long long)eventCount);
    for (int group = 0; group < GROUPS; group++) {
        printf("%s[", group ? "," : "");
        for (size_t index = 0; index < tables[group].count; index++) {
            struct told *entry = &tables[group].entries[index];
            printf("%s[%llu,%u,%lld,%lld]", index ? "," : "", (unsigned long long)entry->version, entry->count,
                   (long long)entry->first, (long long)entry->last);
        }
        printf("]");
    }
    printf("]}\n");
    fflush(stdout);
}

static void command(int poll, const char *text) {
    if (strcmp(text, "report") == 0) {
        report();
    } else if (strcmp(text, "clear") == 0) {
        for (int group = 0; group < GROUPS; group++) tables[group].count = 0;
    } else if (strcmp(text, "read") == 0) {
        for (size_t index = 0; index < streamCount; index++)
            if (streams[index].group == 'n') {
                streams[index].group = 'r';
                watch(poll, index);
            }
    }
}

static void readStream(int poll, struct stream *stream) {
    static char block[BLOCK];
    ssize_t count = recv(stream->descriptor, block, sizeof block, 0);
    if (count > 0) {
        take(stream, block, (size_t)count);
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        endedCount++;
        stream->isEnded = true;
        epoll_ctl(poll, EPOLL_CTL_DEL, stream->descriptor, NULL);
    }
}

static int follow(int port) {
    size_t capacity = 0;
    char line[6144], lastID[128], target[3800], token[1800];
    int poll = epoll_create1(0);
    struct epoll_event ready[EVENTS];
    for (;;) {
        char group;
        if (!inputLine(line, sizeof line)) {
            if (!readInput()) return 0;
            continue;
        }
        if (line[0] == 0) break;
        token[0] = 0;
        if (sscanf(line, "%c %127s %3799s %1799s", &group, lastID, target, token) < 3) fail(line);
        if (streamCount == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            streams = realloc(streams, capacity * sizeof *streams);
            if (!streams) fail("realloc");
        }
        struct stream *stream = &streams[streamCount++];
        memset(stream, 0, sizeof *stream);
        stream->group = group;
        open_(stream, port, lastID, target, token);
        // A stream that is not read has its first event read, so that it is known to have begun.
        if (group == 'n') {
            while (!stream->isOpen) {
                char byte;
                if (recv(stream->descriptor, &byte, 1, 0) == 1) take(stream, &byte, 1);
                else if (errno != EAGAIN) fail("a stream that is not read");
            }
        } else {
            watch(poll, streamCount - 1);
        }
        for (int count; streamCount % 64 == 0 && (count = epoll_wait(poll, ready, EVENTS, 0)) > 0;) {
            time_ = now();
            for (int one = 0; one < count; one++) readStream(poll, &streams[ready[one].data.u64]);
        }
    }
    struct epoll_event input = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, STDIN_FILENO, &input) != 0) fail("epoll_ctl");
    for (;;) {
        while (inputLine(line, sizeof line)) command(poll, line);
        int count = epoll_wait(poll, ready, EVENTS, -1);
        time_ = now();
        for (int one = 0; one < count; one++) {
            if (ready[one].data.u64 != UINT64_MAX) readStream(poll, &streams[ready[one].data.u64]);
            else if (!readInput()) return 0;
        }
    }
}

// Writing.

struct writer { int descriptor, age; bool isBusy; size_t count; char reply[8192]; };
struct written { uint64_t version; int64_t time; int age; };

static uint64_t state_;
static uint64_t pick(uint64_t count) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % count;
}

static void put(struct writer *writer, uint64_t number, uint64_t objects, const char *token) {
    char body[512], request[4096];
    writer->age = 18 + (int)pick(72);
    int bodyCount = snprintf(
        body, sizeof body,
        "{\"name\":\"n%llu\",\"age\":%d,\"score\":%llu.5,\"note\":\"written as number %llu of a run\",\"home\":%llu,"
        "\"flag\":%s}",
        (unsigned long long)pick(9000), writer->age, (unsigned long long)pick(1000000), (unsigned long long)number,
        (unsigned long long)pick(100), pick(2) ? "true" : "false");
    int count = snprintf(
        request, sizeof request,
        "PUT /v1/classes/Item/objects/%llu HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n%s"
        "Prefer: return=minimal\r\nContent-Length: %d\r\n\r\n%s",
        (unsigned long long)pick(objects), authorization(token), bodyCount, body);
    writer->isBusy = true;
    writer->count = 0;
    sendAll(writer->descriptor, request, (size_t)count);
}

// Whether the reply is complete; its version then.
static bool replied(struct writer *writer, uint64_t *version) {
    ssize_t count = recv(writer->descriptor, writer->reply + writer->count, sizeof writer->reply - 1 - writer->count, 0);
    if (count <= 0) fail("the server closed a writing connection");
    writer->count += (size_t)count;
    writer->reply[writer->count] = 0;
    char *end = strstr(writer->reply, "\r\n\r\n");
    if (!end) return false;
    char *length = strcasestr(writer->reply, "\r\nContent-Length:");
    size_t body = length && length < end ? strtoull(length + 17, NULL, 10) : 0;
    if (writer->count < (size_t)(end + 4 - writer->reply) + body) return false;
    char *header = strcasestr(writer->reply, "\r\nHoldfast-Version:");
    if (strncmp(writer->reply, "HTTP/1.1 2", 10) != 0 || !header) {
        fprintf(stderr, "a PUT failed: %.300s\n", writer->reply);
        exit(1);
    }
    char *lineEnd_ = strstr(header + 2, "\r\n");
    *lineEnd_ = 0;
    *version = strtoull(strrchr(header, '-') + 1, NULL, 10);
    writer->isBusy = false;
    return true;
}

static int write_(char **arguments, const char *token) {
    int port = atoi(arguments[0]), connections = atoi(arguments[1]);
    double rate = atof(arguments[2]), seconds = atof(arguments[3]);
    uint64_t objects = strtoull(arguments[4], NULL, 10), number = strtoull(arguments[5], NULL, 10) << 32;
    state_ = (number | 1) * 0x9E3779B97F4A7C15ULL;
    struct writer *writers = calloc((size_t)connections, sizeof *writers);
    struct written *all = NULL;
    size_t count = 0, capacity = 0;
    int poll = epoll_create1(0), busy = 0;
    struct epoll_event ready[EVENTS];
    for (int one = 0; one < connections; one++) {
        writers[one].descriptor = connected(port);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)one};
        epoll_ctl(poll, EPOLL_CTL_ADD, writers[one].descriptor, &event);
    }
    int64_t begun = now(), end = begun + (int64_t)(seconds * 1e9), step = rate > 0 ? (int64_t)(1e9 / rate) : 0;
    int64_t due = begun;
    while (busy > 0 || now() < end) {
        int64_t time = now();
        for (int one = 0; one < connections && time < end && due <= time; one++)
            if (!writers[one].isBusy) {
                put(&writers[one], number++, objects, token);
                busy++;
                due += step;
            }
        int64_t pause = step == 0 || busy == connections || time >= end ? 1000000000 : due - time;
        struct timespec wait = {0, pause <= 0 ? 0 : pause > 999999999 ? 999999999 : pause};
        int found = epoll_pwait2(poll, ready, EVENTS, &wait, NULL);
        time = now();
        for (int one = 0; one < found; one++) {
            struct writer *writer = &writers[ready[one].data.u32];
            uint64_t version;
            if (!replied(writer, &version)) continue;
            busy--;
            if (count == capacity) {
                capacity = capacity ? 2 * capacity : 4096;
                all = realloc(all, capacity * sizeof *all);
                if (!all) fail("realloc");
            }
            all[count++] = (struct written){version, time, writer->age};
        }
    }
    for (size_t one = 0; one < count; one++)
        printf("%llu %lld %d\n", (unsigned long long)all[one].version, (long long)all[one].time, all[one].age);
    return 0;
}

int main(int count, char **arguments) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (count == 3 && strcmp(arguments[1], "follow") == 0) return follow(atoi(arguments[2]));
    if ((count == 8 || count == 9) && strcmp(arguments[1], "write") == 0)
        return write_(arguments + 2, count == 9 ? arguments[8] : "");
    fprintf(stderr, "usage: streams follow PORT | streams write PORT CONNECTIONS RATE SECONDS OBJECTS SEED [TOKEN]\n");
    return 2;
}
