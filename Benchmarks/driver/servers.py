"""The servers that are compared: Holdfast, the constant reply, nginx, and webdis with Redis."""
import json
import os
import shutil
import socket
import subprocess

from .processes import BenchError, Process, family, free_port


class Server:
    """A server on a loopback port; a subclass starts its processes."""
    label = "server"

    def __init__(self):
        self.port = free_port()
        #: What the administrator's requests bring, where a server asks for it.
        self.token = None
        self.processes = []

    @property
    def headers(self):
        """The header that brings the token, or none."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def pids(self):
        return [pid for process in self.processes for pid in family(process.pid)]

    def log_tail(self):
        return " | ".join(process.log_tail(400) for process in self.processes)

    def stop(self):
        for process in reversed(self.processes):
            process.stop()
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()


class Holdfast(Server):
    """`holdfast serve` on a data directory."""
    label = "Holdfast"

    def __init__(self, bench, data, extra=(), token=None):
        super().__init__()
        self.token = token
        arguments = [bench.settings.holdfast, "serve", "--data", data, "--listen", f"127.0.0.1:{self.port}"]
        self.process = Process(arguments + list(bench.settings.serve_args) + list(extra), bench.path("holdfast.log"))
        self.processes = [self.process]
        self.process.wait_for_port(self.port, 60)


class ConstantReply(Server):
    """libmicrohttpd answering one constant reply, from C."""
    label = "constant reply"

    def __init__(self, bench, sample):
        super().__init__()
        body = bench.path(f"constant-{self.port}.json")
        with open(body, "wb") as file:
            file.write(sample.body)
        arguments = [bench.reference("constant_reply"), "--port", self.port, "--threads", 2, "--status", sample.status,
                     "--body-file", body]
        for name, value in sample.headers:
            arguments += ["--header", f"{name}: {value}"]
        process = Process(arguments, bench.path("constant.log"))
        self.processes = [process]
        process.wait_for_port(self.port)


class Nginx(Server):
    """nginx serving files from a directory, as an administrator who cares about speed would set it up."""
    label = "nginx file"

    def __init__(self, bench, files):
        super().__init__()
        directory = bench.path(f"nginx-{self.port}")
        os.makedirs(directory)
        user = "user root;" if os.geteuid() == 0 else ""
        config = os.path.join(directory, "nginx.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f"""{user}
worker_processes 2;
daemon off;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
events {{ worker_connections 4096; use epoll; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    keepalive_timeout 3600s;
    default_type application/json;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    {bench.settings.nginx_http}
    server {{ listen 127.0.0.1:{self.port}; root {files}; }}
}}
""")
        process = Process([bench.settings.nginx, "-c", config, "-p", directory, "-e", f"{directory}/error.log"],
                          bench.path("nginx.log"))
        self.processes = [process]
        process.wait_for_port(self.port)


class Webdis(Server):
    """webdis before Redis that syncs its log before each answer (`appendfsync always`)."""
    label = "webdis + Redis"

    def __init__(self, bench):
        super().__init__()
        directory = bench.path(f"redis-{self.port}")
        os.makedirs(directory)
        self.redis_port = free_port()
        redis = Process(
            [bench.settings.redis, "--port", self.redis_port, "--bind", "127.0.0.1", "--dir", directory, "--save", "",
             "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", 0],
            bench.path("redis.log"))
        self.processes = [redis]
        redis.wait_for_port(self.redis_port)
        config = os.path.join(directory, "webdis.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"redis_host": "127.0.0.1", "redis_port": self.redis_port, "http_host": "127.0.0.1",
                       "http_port": self.port, "threads": 2, "daemonize": False, "database": 0, "acl": [],
                       "verbosity": 1, "logfile": os.path.join(directory, "webdis.log")}, file)
        webdis = Process([bench.settings.webdis, config], bench.path("webdis.log"))
        self.processes.append(webdis)
        webdis.wait_for_port(self.port)

    def preload(self, lines):
        """Sets `d:0`, `d:1`, … to the given lines, so that PUT replaces what is there, as in Holdfast."""
        with socket.create_connection(("127.0.0.1", self.redis_port)) as connection:
            pending, batch = 0, []
            for index, line in enumerate(lines):
                line = line.rstrip(b"\n")
                key = b"d:%d" % index
                batch.append(b"*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(key), key, len(line), line))
                pending += 1
                if pending == 5000:
                    self._flush(connection, batch, pending)
                    pending, batch = 0, []
            self._flush(connection, batch, pending)

    @staticmethod
    def _flush(connection, batch, pending):
        if not pending:
            return
        connection.sendall(b"".join(batch))
        wanted, received = pending * len(b"+OK\r\n"), b""
        while len(received) < wanted:
            part = connection.recv(1 << 16)
            if not part or part.startswith(b"-"):
                raise BenchError(f"Redis refused the data: {part[:100]!r}")
            received += part


def installed(program):
    """Whether a program can be run, by path or name."""
    return shutil.which(str(program)) is not None


def version_line(arguments):
    """The first line a program prints about itself, or an empty string."""
    try:
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (result.stdout + result.stderr).strip().splitlines()
    return lines[0] if lines else ""
