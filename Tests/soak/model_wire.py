"""Bytes of a connection of the model test: replies as they come, and events in them."""


class Body:
    """A reply's body as it comes: its head, then plain bytes or chunks."""

    def __init__(self):
        self.received = b""
        self.status = None
        self.left = None
        self.is_chunked = self.is_ended = False

    def take(self, data):
        """The bytes of the body that `data` completes."""
        self.received += data
        if self.status is None:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return b""
            head, self.received = self.received[:end].lower(), self.received[end + 4:]
            self.status = int(head.split(b" ", 2)[1])
            self.is_chunked = b"transfer-encoding: chunked" in head
            if not self.is_chunked:
                self.left = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if not self.is_chunked:
            found, self.received = self.received[:self.left], self.received[self.left:]
            self.left -= len(found)
            self.is_ended = self.left == 0
            return found
        found = []
        while not self.is_ended:
            if self.left is None:
                end = self.received.find(b"\r\n")
                if end < 0:
                    break
                self.left = int(self.received[:end].split(b";")[0], 16) + 2
                self.received = self.received[end + 2:]
                self.is_ended = self.left == 2
            if len(self.received) < self.left:
                break
            found.append(self.received[:self.left - 2])
            self.received = self.received[self.left:]
            self.left = None
        return b"".join(found)


def taken_events(text):
    """The events at the beginning of a text, each as (name, id, data), None for what it has not, and what is left of the
    text: WHATWG HTML, 9.2.6."""
    found = []
    while (end := text.find(b"\n\n")) >= 0:
        block, text = text[:end], text[end + 2:]
        name = identifier = None
        lines = []
        for line in block.lstrip(b"\n").split(b"\n"):
            field, _, value = line.partition(b":")
            value = value[1:] if value.startswith(b" ") else value
            if field == b"event":
                name = value.decode()
            elif field == b"id":
                identifier = value.decode()
            elif field == b"data":
                lines.append(value)
        found.append((name, identifier, b"\n".join(lines) if lines else None))
    return found, text


def number_of(version):
    return int(version.rsplit("-", 1)[1].split(".")[0].split("~")[0])
