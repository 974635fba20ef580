"""The least that could be done: sends one file to whoever connects, by `sendfile`. `images.py` measures beside it."""

import os
import socket
import sys
import threading
from contextlib import suppress


def serve(path: str, port: int) -> None:
    """Send the file to everybody, each by a thread of its own."""
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size

    def answer(line: socket.socket) -> None:
        with line, suppress(ConnectionError):
            line.recv(65536)
            line.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n".encode())
            sent = 0
            while sent < size:
                sent += os.sendfile(line.fileno(), file, sent, size - sent)

    with socket.create_server(("127.0.0.1", port), backlog=512) as listening:
        while True:
            threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
