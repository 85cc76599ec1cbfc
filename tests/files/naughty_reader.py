"""A reader that breaks down as it is told to: run by `ReaderProcess` in tests, in the place of a library in C."""

import json
import os
import signal
import sys
import time

from sfumato.files.reader_processes import bound_resources, write_frame


def main():
    told = json.loads(sys.stdin.buffer.readline())
    answers = sys.stdout.buffer
    if told["do"] == "answer":
        write_frame(answers, b"A", str(os.getpid()).encode())
        told = json.loads(sys.stdin.buffer.readline())
    if told["do"] == "hang":
        write_frame(answers, b"A", str(os.getpid()).encode())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(40)
    if told["do"] == "abort":
        os.abort()
    if told["do"] == "half":
        answers.write(b"A" + (1000).to_bytes(8, "big") + b"only this")
    if told["do"] == "boast":
        answers.write(b"A" + (2**62).to_bytes(8, "big") + b"x" * 100)
    if told["do"] == "flood":
        bound_resources(60, 2**28)
        write_frame(answers, b"A", str(len(bytearray(2**30))).encode())
    if told["do"] == "spin":
        bound_resources(0)
        while True:
            pass


if __name__ == "__main__":
    main()
