"""Messages between processes: JSON objects, each after its length in 4 bytes, big-endian."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

LENGTH = struct.Struct(">I")

Message = dict[str, Any]


def encode(message: Message) -> bytes:
    """Encode a message for a channel."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return LENGTH.pack(len(body)) + body


class Decoder:
    """Puts messages together from the bytes of a channel, which arrive in pieces of any size."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Take `data`, and give the messages that are now complete. Raises ValueError for bytes
        that are no message.
        """
        self._bytes += data
        messages: list[Message] = []
        start = 0
        while len(self._bytes) - start >= LENGTH.size:
            (size,) = LENGTH.unpack_from(self._bytes, start)
            end = start + LENGTH.size + size
            if len(self._bytes) < end:
                break
            message = json.loads(self._bytes[start + LENGTH.size : end])
            if not isinstance(message, dict):
                raise ValueError("a message is a JSON object")
            messages.append(message)
            start = end
        del self._bytes[:start]
        return messages


class Channel:
    """The worker's end of a connected stream socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._decoder = Decoder()
        self._ready: list[Message] = []

    def send(self, message: Message) -> None:
        """Send `message`; waits while the other side is busy."""
        self._sock.sendall(encode(message))

    def receive(self) -> Message | None:
        """Wait for the next message; None when the other side has gone."""
        while not self._ready:
            data = self._sock.recv(65536)
            if not data:
                return None
            self._ready = self._decoder.feed(data)
        return self._ready.pop(0)
