"""A proxy between a client and a service, which fails as proxies and networks do."""
import contextlib
import socket
import threading

UNAVAILABLE = (b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\nContent-Length: 11\r\n"
               b"Connection: close\r\n\r\nUnavailable")


class Proxy:
    """Forwards connections on a free port of 127.0.0.1 to a service: use it in a `with`."""

    def __init__(self, port):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._lock = threading.Lock()
        self._open = set()
        #: Whether new connections are answered 503.
        self._is_unavailable = False
        #: The connections that forward no more replies.
        self._silent = set()
        #: The requests that were answered 503, and the connections that were forwarded.
        self.unavailable_count = self.forwarded_count = 0
        #: The first lines of the requests that began a forwarded connection's bytes, as far as they were seen.
        self.lines = []

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()
        self.cut()

    def cut(self):
        """Cuts all connections."""
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def fail(self):
        """Answers 503 from now on, and cuts the connections."""
        self._is_unavailable = True
        self.cut()

    def recover(self):
        """Forwards new connections again."""
        self._is_unavailable = False

    def silence(self):
        """Keeps the present connections open, and forwards nothing more on them."""
        with self._lock:
            self._silent = set(self._open)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        if self._is_unavailable:
            with contextlib.suppress(OSError), client:
                client.recv(65536)
                self.unavailable_count += 1
                client.sendall(UNAVAILABLE)
            return
        try:
            service = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        with self._lock:
            self.forwarded_count += 1
            self._open |= {client, service}
        back = threading.Thread(target=self._forward, args=(service, client), daemon=True)
        back.start()
        self._forward(client, service, self.lines)
        back.join()
        with self._lock:
            self._open -= {client, service}
        client.close()
        service.close()

    def _forward(self, source, target, lines=None):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if lines is not None:
                    lines.append(data.split(b"\r\n", 1)[0].decode(errors="replace"))
                if source in self._silent or target in self._silent:
                    continue
                target.sendall(data)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
