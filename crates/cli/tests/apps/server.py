# A program for tests, with the standard library alone: it answers at TIDEGATE_PORT, and ends in order when it is asked.
import base64, hashlib, json, os, signal, struct, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ME = os.environ["TIDEGATE_REPLICA"]
busy = 0
lock = threading.Lock()


def there(name):
    return os.path.exists(name)


def wait_for(name):
    while not there(name):
        time.sleep(0.01)


def note(name):
    open(name, "w").close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="text/plain", headers=()):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def chunks(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            left = int(self.headers.get("Content-Length", 0))
            while left:
                data = self.rfile.read1(min(left, 65536))
                left -= len(data)
                yield data
            return
        while True:
            size = int(self.rfile.readline(), 16)
            data = self.rfile.read(size)
            self.rfile.readline()
            if not size:
                return
            yield data

    def handle_one(self):
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        name = url.path.rsplit("/", 1)[-1]
        if name == "health":
            self.reply(200 if there("ready-" + ME) or there("ready") else 500, "")
        elif name == "who":
            self.reply(200, ME)
        elif name == "sink":
            total, digest = 0, hashlib.sha256()
            for data in self.chunks():
                if not total:
                    note("sink-began")
                total += len(data)
                digest.update(data)
            self.reply(200, "%d %s" % (total, digest.hexdigest()))
        elif name == "source":
            block, left = b"x" * 65536, int(query["bytes"])
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while left:
                part = block[: min(left, len(block))]
                self.chunk(part)
                left -= len(part)
                if "pause" in query:
                    wait_for(query.pop("pause"))
            self.wfile.write(b"0\r\n\r\n")
        elif name == "wait":
            note("waiting-" + ME)
            wait_for(query["for"])
            self.reply(200, ME)
        elif name == "nap":
            time.sleep(0.02)
            self.reply(200, ME)
        elif name == "die":
            if not there("died"):
                note("died")
                if "after" in query:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome of it")
                    self.wfile.flush()
                    wait_for(query["after"])
                os._exit(7)
            self.reply(200, "alive " + ME)
        elif name == "garbage":
            self.wfile.write(b"this is not HTTP\r\n\r\n")
            self.close_connection = True
        elif name == "cookies":
            self.reply(200, "", headers=[("Set-Cookie", "tidegate_session=evil; Path=/"), ("Set-Cookie", "mine=1"),
                                         ("Service-Worker-Allowed", "/"), ("Connection", "X-Hop"), ("X-Hop", "1")])
        elif self.headers.get("Upgrade", "").lower() == "websocket":
            self.websocket()
        else:
            told = {"method": self.command, "path": self.requestline.split(" ")[1], "replica": ME,
                    "headers": [[k.lower(), v] for k, v in self.headers.items()]}
            self.reply(200, json.dumps(told), "application/json")

    def websocket(self):
        guid = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        key = self.headers["Sec-WebSocket-Key"].encode()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key + guid).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while True:
            head = self.rfile.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return
            size = head[1] & 127
            if size == 126:
                size = struct.unpack(">H", self.rfile.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.rfile.read(8))[0]
            mask = self.rfile.read(4)
            data = self.rfile.read(size)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
            length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
            self.wfile.write(bytes([head[0]]) + length + data)
            self.wfile.flush()

    def do_any(self):
        global busy
        with lock:
            busy += 1
        try:
            self.handle_one()
        finally:
            with lock:
                busy -= 1

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_any


class Server(ThreadingHTTPServer):
    request_queue_size = 128


def stop(*_):
    def end():
        server.shutdown()
        server.server_close()
        # Connections that are open may have a request on its way.
        time.sleep(0.2)
        while busy:
            time.sleep(0.01)
        os._exit(0)

    threading.Thread(target=end).start()


if "late" in sys.argv:
    wait_for("open-up")
server = Server(("127.0.0.1", int(os.environ["TIDEGATE_PORT"])), Handler)
signal.signal(signal.SIGTERM, stop)
print("up", flush=True)
server.serve_forever()
