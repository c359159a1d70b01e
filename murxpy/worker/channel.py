"""Messages between processes: JSON objects, each behind its length in bytes (4 bytes, big-endian)."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

LENGTH = struct.Struct(">I")

Message = dict[str, Any]


def encode(message: Message) -> bytes:
    """The bytes of `message` as they go over a channel."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return LENGTH.pack(len(body)) + body


class Decoder:
    """Cuts the bytes that came over a channel into messages, whatever the pieces they came in."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Take `data` in and give the messages that are complete now. Raises ValueError for what is
        no message.
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
    """The worker's end: sends and waits for messages on a connected stream socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._decoder = Decoder()
        self._ready: list[Message] = []

    def send(self, message: Message) -> None:
        """Send `message`, waiting while the other side is busy."""
        self._sock.sendall(encode(message))

    def receive(self) -> Message | None:
        """The next message; None when the other side is gone."""
        while not self._ready:
            data = self._sock.recv(65536)
            if not data:
                return None
            self._ready = self._decoder.feed(data)
        return self._ready.pop(0)
