/* The floor of an HTTP request: libmicrohttpd answering one constant reply, whatever was asked.
 *
 *     constant_reply --port PORT [--threads 2] [--bytes N | --body-file FILE]
 *                    [--status 200] [--header "Name: value"]...
 *
 * It listens on 127.0.0.1 only and runs until SIGTERM or SIGINT. The driver hands it the body and
 * the headers that Holdfast gave to the same request, so that both put the same bytes on the wire.
 *
 * The flags and options are those of a server that has to suspend connections while a commit is
 * synced (epoll, a pool of threads, suspend and resume, limits, the raw target), although nothing
 * is suspended here: what remains is the price of HTTP itself.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_COUNT_MAX = 32, BODY_BYTE_COUNT_MAX = 32 << 20 };

/* What every request is answered with; filled before the daemon starts, only read afterwards. */
struct constant {
    struct MHD_Response *response;
    unsigned status;
};

/* Marks a request whose first call has been made; its address is all that counts. */
static char seen;

static void die(const char *what)
{
    fprintf(stderr, "constant_reply: %s: %s\n", what, errno ? strerror(errno) : "refused");
    exit(1);
}

/* libmicrohttpd hands over the raw request target here. A server that routes needs the option, so
 * the reference pays for it too. The result becomes the request's context. */
static void *note_target(void *context, const char *target, struct MHD_Connection *connection)
{
    (void)context; (void)target; (void)connection;
    return NULL;
}

static void note_completion(void *context, struct MHD_Connection *connection, void **request,
                            enum MHD_RequestTerminationCode code)
{
    (void)context; (void)connection; (void)code;
    *request = NULL;
}

/* Queueing in the first call would close the connection after the reply, and the benchmark would
 * then measure accept(2). So: note the request, drain its body, queue in the last call. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request)
{
    (void)url; (void)method; (void)version; (void)upload;
    const struct constant *constant = context;
    if (*request == NULL) {
        *request = &seen;
        return MHD_YES;
    }
    if (*upload_size != 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, constant->status, constant->response);
}

/* `{"pad":"xxx…"}` of exactly `count` bytes (10 at least). */
static char *make_body(size_t count)
{
    if (count < 10) count = 10;
    char *body = malloc(count + 1);
    if (body == NULL) die("memory");
    memset(body, 'x', count);
    memcpy(body, "{\"pad\":\"", 8);
    memcpy(body + count - 2, "\"}", 3);
    return body;
}

static char *read_body(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) die(path);
    char *body = malloc(BODY_BYTE_COUNT_MAX);
    if (body == NULL) die("memory");
    *count = fread(body, 1, BODY_BYTE_COUNT_MAX, file);
    if (ferror(file)) die(path);
    fclose(file);
    return body;
}

static void add_header(struct MHD_Response *response, char *line)
{
    char *colon = strchr(line, ':');
    if (colon == NULL) {
        errno = EINVAL;
        die("--header wants \"Name: value\"");
    }
    *colon = 0;
    const char *value = colon + 1;
    while (*value == ' ') value++;
    errno = 0;
    if (MHD_add_response_header(response, line, value) != MHD_YES) die(line);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},    {"threads", required_argument, NULL, 't'},
        {"bytes", required_argument, NULL, 'b'},   {"body-file", required_argument, NULL, 'f'},
        {"status", required_argument, NULL, 's'},  {"header", required_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int port = 0;
    unsigned threads = 2;
    size_t byte_count = 200;
    const char *body_path = NULL;
    char *headers[HEADER_COUNT_MAX];
    int header_count = 0;
    struct constant constant = {NULL, MHD_HTTP_OK};

    for (int choice; (choice = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (choice) {
        case 'p': port = atoi(optarg); break;
        case 't': threads = (unsigned)atoi(optarg); break;
        case 'b': byte_count = strtoul(optarg, NULL, 10); break;
        case 'f': body_path = optarg; break;
        case 's': constant.status = (unsigned)atoi(optarg); break;
        case 'h':
            if (header_count == HEADER_COUNT_MAX) {
                errno = E2BIG;
                die("--header");
            }
            headers[header_count++] = optarg;
            break;
        default: return 2;
        }
    }
    if (port <= 0 || port > 65535) {
        fprintf(stderr, "usage: constant_reply --port PORT [--threads N] [--bytes N | --body-file "
                        "FILE] [--status N] [--header \"Name: value\"]...\n");
        return 2;
    }

    if (byte_count < 10) byte_count = 10;
    char *body = body_path ? read_body(body_path, &byte_count) : make_body(byte_count);
    constant.response = MHD_create_response_from_buffer(byte_count, body, MHD_RESPMEM_PERSISTENT);
    if (constant.response == NULL) die("response");
    if (header_count == 0) {
        char type[] = "Content-Type: application/json", etag[] = "ETag: \"7k2f-1041\"";
        add_header(constant.response, type);
        add_header(constant.response, etag);
    }
    for (int i = 0; i < header_count; i++) add_header(constant.response, headers[i]);

    /* Blocked before the daemon starts its threads, so that they inherit it and only main waits. */
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);

    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_ERROR_LOG,
        (uint16_t)port, NULL, NULL, answer, &constant,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_THREAD_POOL_SIZE, threads,
        MHD_OPTION_CONNECTION_LIMIT, 10000u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(32 << 10),
        MHD_OPTION_CONNECTION_TIMEOUT, 60u,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u,
        MHD_OPTION_URI_LOG_CALLBACK, note_target, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, note_completion, NULL,
        MHD_OPTION_END);
    if (daemon == NULL) die("start");

    int received;
    sigwait(&stop, &received);
    MHD_stop_daemon(daemon);
    MHD_destroy_response(constant.response);
    free(body);
    return 0;
}
